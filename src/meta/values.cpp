// The checks themselves, dense ranks and z-scores.
#include "meta/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"

namespace markeval::meta {

void require_finite(std::span<const double> values, std::string_view name) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    throw_invalid(
        fmt::format("{}: value {} is {}", name, i + 1, std::isnan(values[i]) ? "not a number" : "infinite"));
  }
}

void require_pairs(std::span<const double> gold, std::span<const double> predicted) {
  if (gold.size() != predicted.size())
    throw_invalid(fmt::format("{} gold values but {} predicted values", gold.size(), predicted.size()));
  require_finite(gold, "gold");
  require_finite(predicted, "predicted");
}

DenseRanks dense_ranks(std::span<const double> values) {
  std::vector<std::pair<double, std::uint32_t>> order(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) order[i] = {values[i], static_cast<std::uint32_t>(i)};
  std::ranges::sort(order);
  DenseRanks result;
  result.rank.resize(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || order[i].first != order[i - 1].first) ++result.classes;
    result.rank[order[i].second] = result.classes - 1;
  }
  return result;
}

std::vector<double> z_scores(std::span<const double> values) {
  std::vector<double> scores(values.size());
  if (values.empty() || is_constant(values)) return scores;
  const double count = static_cast<double>(values.size());
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::fabs(value));
  // A power of two near the largest value: dividing is exact, and no square can overflow.
  const int exponent = std::ilogb(largest);
  for (std::size_t i = 0; i < values.size(); ++i) scores[i] = std::scalbn(values[i], -exponent);
  // Twice: the second mean takes away what rounding left of the first, which matters for a small spread far
  // from 0.
  for (int pass = 0; pass < 2; ++pass) {
    double mean = 0;
    for (const double score : scores) mean += score;
    mean /= count;
    for (double& score : scores) score -= mean;
  }
  double squares = 0;
  for (const double score : scores) squares += score * score;
  const double deviation = std::sqrt(squares / count);
  for (double& score : scores) score /= deviation;
  return scores;
}

MeanAndSpread mean_and_spread(std::span<const double> values) {
  MeanAndSpread found;
  for (const double value : values) found.mean += value;
  found.mean /= static_cast<double>(values.size());
  for (const double value : values) found.spread += (value - found.mean) * (value - found.mean);
  found.spread = std::sqrt(found.spread / static_cast<double>(values.size() - 1));
  return found;
}

bool is_constant(std::span<const double> values) {
  return std::ranges::all_of(values, [&](double value) { return value == values.front(); });
}

}  // namespace markeval::meta
