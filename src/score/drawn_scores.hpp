// Set metrics with the option n: equally many texts of both sets, drawn several times, and the mean. Sets of
// different sizes may then be compared.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "score/sample_set.hpp"

namespace markeval::score {

/// Every request on `texts` units of each set: means over the draws; the details have the number of draws and
/// the spread (standard deviation) of each score. Sets of equally many units are drawn alike. Throws
/// Error(invalid_input) where a set has fewer.
std::vector<Result> score_draws(geometry::SetEngine& engine, const SampleSet& reference,
                                const SampleSet& evaluated, std::span<const Metric> requests,
                                std::size_t texts, metric::SetSettings settings, const RunContext& context);

}  // namespace markeval::score
