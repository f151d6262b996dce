#include "meta/quantile.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace markeval::meta {

double quantile(std::span<const double> sorted, double share) {
  assert(!sorted.empty());
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - std::floor(place)) * (sorted[above] - sorted[below]);
}

Interval middle_of(std::vector<double> values, double tail) {
  std::sort(values.begin(), values.end());
  return {quantile(values, tail), quantile(values, 1 - tail)};
}

std::optional<Interval> interval_of_resamples(std::vector<double> values, std::size_t resamples) {
  if (values.size() < 2 || 2 * values.size() < resamples) return std::nullopt;
  return middle_of(std::move(values));
}

}  // namespace markeval::meta
