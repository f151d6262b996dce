#include "meta/subsampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/random.hpp"
#include "meta/values.hpp"

namespace markeval::meta {
namespace {

/// Deviations from the mean, scaled to the full size, rising.
std::vector<double> scaled_deviations(std::span<const double> scores, std::size_t rows, std::size_t drawn) {
  if (scores.empty()) throw_invalid("no subsamples");
  require_finite(scores, "subsamples");
  const double scale = subsampling_scale(rows, drawn);
  const double mean = std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
  std::vector<double> deviations;
  for (const double score : scores) deviations.push_back(scale * (score - mean));
  std::sort(deviations.begin(), deviations.end());
  return deviations;
}

}  // namespace

double subsampling_scale(std::size_t rows, std::size_t drawn) {
  if (drawn == 0 || drawn >= rows) {
    throw_invalid(fmt::format("{} rows drawn of {}, expected at least 1 and fewer than all", drawn, rows));
  }
  return std::sqrt(static_cast<double>(drawn) / static_cast<double>(rows - drawn));
}

std::vector<std::uint32_t> draw_without_replacement(std::size_t rows, std::size_t drawn, std::uint64_t seed,
                                                    std::uint64_t index) {
  if (drawn > rows) throw_invalid(fmt::format("{} rows drawn of {}", drawn, rows));
  RandomStream stream(seed, index);
  // Knuth's selection sampling (The Art of Computer Programming 3.4.2, algorithm S): one pass, already in
  // order.
  std::vector<std::uint32_t> chosen;
  chosen.reserve(drawn);
  for (std::size_t row = 0; chosen.size() < drawn; ++row) {
    if (stream.below(rows - row) < drawn - chosen.size()) chosen.push_back(static_cast<std::uint32_t>(row));
  }
  return chosen;
}

Interval subsampling_interval(double score, std::span<const double> subsample_scores, std::size_t rows,
                              std::size_t drawn, double level) {
  const std::vector<double> deviations = scaled_deviations(subsample_scores, rows, drawn);
  const auto outside = static_cast<std::size_t>(static_cast<double>(deviations.size()) * (1 - level) / 2);
  return {score - deviations[deviations.size() - 1 - outside], score - deviations[outside]};
}

double subsampling_p_value(double difference, std::span<const double> subsample_differences, std::size_t rows,
                           std::size_t drawn) {
  const std::vector<double> deviations = scaled_deviations(subsample_differences, rows, drawn);
  const auto hits = std::count_if(deviations.begin(), deviations.end(),
                                  [&](double d) { return std::fabs(d) >= std::fabs(difference); });
  return (static_cast<double>(hits) + 1) / (static_cast<double>(deviations.size()) + 1);
}

}  // namespace markeval::meta
