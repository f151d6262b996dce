// The one percentile of the house.
#pragma once

#include <span>
#include <vector>

#include "base/result.hpp"

namespace markeval::meta {

/// Linear between order statistics, as numpy.percentile: `share` from 0 to 1 of at least one value, sorted.
///   {1, 2, 4}, 0.75 -> 3
double quantile(std::span<const double> sorted, double share);

/// From the quantile `tail` to that of 1 - tail of at least one value, in any order: the middle 95 %.
Interval middle_of(std::vector<double> values, double tail = 0.025);

}  // namespace markeval::meta
