// Drawing of halves, and the interval and p-value from the differences between them.
#include "meta/split_halves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/random.hpp"
#include "meta/values.hpp"

namespace markeval::meta {
namespace {

/// How far the score of all rows may be off, rising.
std::vector<double> deviations(std::span<const double> differences, std::size_t rows, std::size_t half_rows) {
  if (differences.empty()) throw_invalid("no splits");
  require_finite(differences, "splits");
  const double scale = split_scale(rows, half_rows);
  std::vector<double> result;
  for (const double difference : differences) result.push_back(scale * std::fabs(difference));
  std::ranges::sort(result);
  return result;
}

}  // namespace

Halves split_in_halves(std::size_t rows, std::uint64_t seed, std::uint64_t index) {
  if (rows < 2) throw_invalid(fmt::format("{} rows, expected at least 2 to split", rows));
  RandomStream stream(seed, index);
  // Knuth's selection sampling (The Art of Computer Programming 3.4.2, algorithm S), with two samples: one
  // pass, already in order.
  const std::size_t half = rows / 2;
  Halves halves;
  halves.first.reserve(half);
  halves.second.reserve(half);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uint64_t drawn = stream.below(rows - row);
    const std::size_t first_left = half - halves.first.size(), second_left = half - halves.second.size();
    if (drawn < first_left) {
      halves.first.push_back(row);
    } else if (drawn < first_left + second_left) {
      halves.second.push_back(row);
    }
  }
  return halves;
}

double split_scale(std::size_t rows, std::size_t half_rows) {
  if (half_rows == 0 || half_rows > rows / 2) {
    throw_invalid(
        fmt::format("{} rows in a half of {}, expected at least 1 and no more than half", half_rows, rows));
  }
  return std::sqrt(static_cast<double>(half_rows) / static_cast<double>(2 * rows));
}

double on_scale(double score, Scale scale) {
  switch (scale) {
    case Scale::share: {
      const double share = std::clamp(score, 0.0, 1.0);
      return std::sqrt(share) - std::sqrt(1 - share);
    }
    case Scale::amount:
      return std::sqrt(std::max(score, 0.0));
    case Scale::plain:
      break;
  }
  return score;
}

double from_scale(double value, Scale scale) {
  switch (scale) {
    case Scale::share: {
      const double inside = std::clamp(value, -1.0, 1.0);
      const double root = (inside + std::sqrt(2 - inside * inside)) / 2;
      return std::clamp(root * root, 0.0, 1.0);
    }
    case Scale::amount:
      return std::max(value, 0.0) * std::max(value, 0.0);
    case Scale::plain:
      break;
  }
  return value;
}

Interval split_interval(double score, std::span<const double> differences, std::size_t rows,
                        std::size_t half_rows, Scale scale, double level) {
  const std::vector<double> sorted = deviations(differences, rows, half_rows);
  const auto outside = static_cast<std::size_t>(static_cast<double>(sorted.size()) * (1 - level));
  const double half_width = sorted[sorted.size() - 1 - outside];
  const double middle = on_scale(score, scale);
  return {from_scale(middle - half_width, scale), from_scale(middle + half_width, scale)};
}

double split_p_value(double difference, std::span<const double> differences, std::size_t rows,
                     std::size_t half_rows) {
  const std::vector<double> sorted = deviations(differences, rows, half_rows);
  if (sorted.back() == 0) return 1;  // the halves say nothing: all are at the score's limit
  const auto hits = sorted.end() - std::ranges::lower_bound(sorted, std::fabs(difference));
  return (static_cast<double>(hits) + 1) / (static_cast<double>(sorted.size()) + 1);
}

}  // namespace markeval::meta
