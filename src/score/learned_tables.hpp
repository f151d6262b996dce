// Is a metric judged on what it learned from? Used where metrics are compared with people.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "metric/metric.hpp"

namespace markeval::score {

/// "match:weights=mine learned from judged.tsv; its agreement there says nothing about new texts", for every
/// metric (or part of a blend) whose training tables have the bytes of one of `files`. Streams are left out.
std::vector<std::string> learned_from(std::span<const Metric> metrics, std::span<const std::string> files);

}  // namespace markeval::score
