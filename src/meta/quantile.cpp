// Linear interpolation between neighbours, found by partial sorting.
#include "meta/quantile.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace markeval::meta {

double quantile(std::span<const double> sorted, double share) {
  assert(!sorted.empty());
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - std::floor(position)) * (sorted[above] - sorted[below]);
}

namespace {

/// Puts the numbers that quantile() looks at into their sorted places: cheaper than sorting them all.
void settle(std::vector<double>& values, double share) {
  const auto below = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  const auto middle = values.begin() + below;
  std::nth_element(values.begin(), middle, values.end());
  if (middle + 1 != values.end()) std::iter_swap(middle + 1, std::min_element(middle + 1, values.end()));
}

}  // namespace

Interval middle_of(std::vector<double> values, double tail) {
  settle(values, tail);
  const double low = quantile(values, tail);
  settle(values, 1 - tail);
  return {low, quantile(values, 1 - tail)};
}

Interval central_of(std::vector<double> values, double level) {
  const auto outside = static_cast<std::ptrdiff_t>(static_cast<double>(values.size()) * (1 - level) / 2);
  const auto at_low = values.begin() + outside, at_high = values.end() - 1 - outside;
  std::nth_element(values.begin(), at_low, values.end());
  const double low = *at_low;
  std::nth_element(at_low, at_high, values.end());
  return {low, *at_high};
}

std::optional<Interval> interval_of_resamples(std::vector<double> values, std::size_t resamples) {
  if (values.size() < 2 || 2 * values.size() < resamples) return std::nullopt;
  return middle_of(std::move(values));
}

}  // namespace markeval::meta
