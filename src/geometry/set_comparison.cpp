// Checks what came in, asks the engine of the device, and keeps the neighbours of a reference set for the
// next comparison. No pair of rows is looked at here.
#include "geometry/set_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace markeval::geometry {
namespace {

// Squares of larger values would overflow double.
constexpr double kLargestValue = 1e150;
// Where no value is larger, squared distances lose their digits, and vanish at last.
constexpr double kSmallestScale = 1e-145;

// Magnitudes are ordered as their bits are, with infinity and NaN on top.
std::uint64_t magnitude_bits(double value) {
  return std::bit_cast<std::uint64_t>(value) & ~(std::uint64_t{1} << 63);
}
std::uint32_t magnitude_bits(float value) {
  return std::bit_cast<std::uint32_t>(value) & 0x7fffffffu;
}
double from_bits(std::uint64_t bits) {
  return std::bit_cast<double>(bits);
}
double from_bits(std::uint32_t bits) {
  return static_cast<double>(std::bit_cast<float>(bits));
}

/// The largest magnitude of the set; infinite where one is not finite.
double largest_magnitude(Points points, const RunContext& context) {
  double largest = 0;
  for_row_blocks<double>(
      points, context,
      [](const auto& view, double& most) {
        auto bits = magnitude_bits(*view.data());
        for (std::size_t row = 0; row < view.rows(); ++row) {
          for (const auto value : view.row(row)) bits = std::max(bits, magnitude_bits(value));
        }
        most = std::isnan(from_bits(bits)) ? std::numeric_limits<double>::infinity() : from_bits(bits);
      },
      [&](double most) { largest = std::max(largest, most); });
  return largest;
}

/// The largest magnitude of the set. Throws where a value is not finite or too large.
double check_values(Points points, const std::string& what, const RunContext& context) {
  const double largest = largest_magnitude(points, context);
  if (largest > 0 && largest < kSmallestScale) {
    throw_invalid(fmt::format("{}: its values are too small: the largest is {:.3g}, whose square is 0 to a "
                              "computer; multiply all rows by one number", what, largest));
  }
  if (largest <= kLargestValue) return largest;
  points.visit([&](const auto& view) {
    for (std::size_t row = 0; row < view.rows(); ++row) {
      for (std::size_t column = 0; column < view.columns(); ++column) {
        const double value = static_cast<double>(view(row, column));
        if (std::fabs(value) <= kLargestValue) continue;
        const std::string place =
            what + ": row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1);
        if (std::isnan(value)) throw_invalid(place + " is not a number");
        if (std::isinf(value)) throw_invalid(place + " is infinite");
        throw_invalid(place + " is larger than 1e150: its square does not fit a double");
      }
    }
  });
  return largest;
}

void check_k(std::size_t k, std::size_t rows, const std::string& what) {
  if (k >= 1 && k < rows) return;
  throw_invalid(what + ": k is " + std::to_string(k) + ", expected 1 to " +
                std::to_string(rows > 0 ? rows - 1 : 0) + " (the set has " + std::to_string(rows) +
                (rows == 1 ? " row)" : " rows)"));
}

std::size_t largest_k(std::span<const BallRequest> requests) {
  std::size_t k = 1;
  for (const BallRequest& request : requests) k = std::max(k, request.k);
  return k;
}

bool is_known(const KnownNeighbours* known, const Points& points, std::size_t k) {
  return known != nullptr && known->lists.rows() == points.rows() && known->lists.k == k;
}

/// From `known`, or found and put there.
template <typename Find>
NeighbourLists reference_neighbours(const Points& points, std::size_t k, KnownNeighbours* known,
                                    FilterStatistics& statistics, Find find) {
  const bool found_before = is_known(known, points, k);
  FilterStatistics found;
  NeighbourLists lists = found_before ? known->lists : find(found);
  if (found_before) found = known->statistics;
  if (known != nullptr && !found_before) *known = {lists, found};
  statistics.pairs += found.pairs;
  statistics.pairs_refined += found.pairs_refined;
  return lists;
}

}  // namespace

SetComparison compare_sets(Points reference, Points evaluated, std::span<const BallRequest> requests,
                           compute::Device& device, const RunContext& context, Method method,
                           KnownNeighbours* of_reference) {
  if (reference.columns() != evaluated.columns()) {
    throw_invalid("the reference set has " + std::to_string(reference.columns()) +
                  " columns, the evaluated set " + std::to_string(evaluated.columns()));
  }
  for (const BallRequest& request : requests) {
    check_k(request.k, reference.rows(), "reference set");
    check_k(request.k, evaluated.rows(), "evaluated set");
  }
  const double largest_reference = check_values(reference, "reference set", context);
  const double largest = std::max(largest_reference, check_values(evaluated, "evaluated set", context));

  const std::size_t k = largest_k(requests);
  const auto engine = make_set_engine({{reference, evaluated}, largest, k, method}, device, context);
  const std::uint64_t r = reference.rows(), e = evaluated.rows();
  PairProgress progress("comparing the sets",
                        ((is_known(of_reference, reference, k) ? 0 : r * r) + e * e) / 2 + r * e, context);
  SetComparison comparison;
  FilterStatistics& statistics = comparison.statistics;
  statistics.method = engine->method();
  comparison.reference = reference_neighbours(
      reference, k, of_reference, statistics,
      [&](FilterStatistics& found) { return engine->neighbours(0, k, progress, found); });
  comparison.evaluated = engine->neighbours(1, k, progress, statistics);
  comparison.counts =
      engine->counts(comparison.reference, comparison.evaluated, requests, progress, statistics);
  return comparison;
}

std::vector<OutsidePoint> outside_points(Points centres, std::span<const double> squared_radius,
                                         Points points, std::span<const std::uint8_t> covered,
                                         compute::Device& device, const RunContext& context, Method method) {
  if (std::find(covered.begin(), covered.end(), std::uint8_t{0}) == covered.end()) return {};
  const double largest = std::max(largest_magnitude(points, context), largest_magnitude(centres, context));
  const auto engine = make_set_engine({{points, centres}, largest, 1, method}, device, context);
  PairProgress progress("ranking rows outside", std::uint64_t{points.rows()} * centres.rows(), context);
  std::vector<OutsidePoint> result = engine->outside(squared_radius, covered, progress);
  std::sort(result.begin(), result.end(), [](const OutsidePoint& a, const OutsidePoint& b) {
    return a.gap() != b.gap() ? a.gap() > b.gap() : a.row < b.row;
  });
  return result;
}

}  // namespace markeval::geometry
