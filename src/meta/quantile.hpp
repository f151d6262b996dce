// Percentiles, as numpy has them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/result.hpp"

namespace markeval::meta {

/// Linear between order statistics, as numpy.percentile: `share` from 0 to 1 of at least one value, sorted.
///   {1, 2, 4}, 0.75 -> 3
double quantile(std::span<const double> sorted, double share);

/// From the quantile `tail` to that of 1 - tail of at least one value, in any order: the middle 95 %.
Interval middle_of(std::vector<double> values, double tail = 0.025);

/// The middle share `level` of at least one value, from order statistic to order statistic.
Interval central_of(std::vector<double> values, double level);

/// The middle of what the resamples gave; none where fewer than half of them have a value.
std::optional<Interval> interval_of_resamples(std::vector<double> values, std::size_t resamples);

}  // namespace markeval::meta
