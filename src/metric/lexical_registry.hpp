// The lexical metrics' part of the registry.
#pragma once

#include <vector>

#include "metric/registry.hpp"

namespace markeval::metric {

std::vector<MetricInfo> lexical_metrics();

}  // namespace markeval::metric
