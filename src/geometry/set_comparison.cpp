#include "geometry/set_comparison.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "geometry/row_blocks.hpp"
#include "geometry/scan.hpp"

namespace markeval::geometry {
namespace {

// Up to so many multiplications a plain double loop is done before a filter is set up.
constexpr double kDirectWork = 3e7;
// Squares of larger values would overflow double, of much smaller ones vanish.
constexpr double kLargestValue = 1e150;
constexpr double kSmallestSpread = 1e-140;

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

bool small(std::span<const Points> sets) {
  double work = 0;
  for (const Points& set : sets) work = std::max(work, static_cast<double>(set.rows()));
  return work * work * static_cast<double>(sets.front().columns()) < kDirectWork;
}

bool use_direct(std::span<const Points> sets, double largest, Method method) {
  return method == Method::direct || (method == Method::automatic && small(sets)) ||
         largest < kSmallestSpread;
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

bool use_direct(std::span<const Points> sets, Method method, const RunContext& context) {
  double largest = 0;
  for (const Points& set : sets) largest = std::max(largest, largest_magnitude(set, context));
  return use_direct(sets, largest, method);
}

std::uint64_t BallCounts::total_hits() const {
  return std::accumulate(hits.begin(), hits.end(), std::uint64_t{0});
}

std::uint64_t BallCounts::total_covered() const {
  return std::accumulate(covered.begin(), covered.end(), std::uint64_t{0});
}

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
  const Points sets[] = {reference, evaluated};
  SetComparison comparison;
  FilterStatistics& statistics = comparison.statistics;
  if (use_direct(sets, largest, method)) {
    statistics.method = "direct";
    comparison.reference = reference_neighbours(
        reference, k, of_reference, statistics,
        [&](FilterStatistics& found) { return direct_neighbours(reference, k, found, context); });
    comparison.evaluated = direct_neighbours(evaluated, k, statistics, context);
    direct_counts(reference, evaluated, requests, comparison, context);
    return comparison;
  }
  const PairFilter filter(sets, k, method, device, context);
  statistics.method = filter.method();
  ScanWorkers workers(filter, context);
  const std::size_t r = reference.rows();
  const std::size_t e = evaluated.rows();
  const bool known = is_known(of_reference, reference, k);
  ScanProgress progress("comparing the sets",
                        ((known ? 0 : pair_area(r, r)) + pair_area(e, e)) / 2 + pair_area(r, e), context);
  comparison.reference =
      reference_neighbours(reference, k, of_reference, statistics, [&](FilterStatistics& found) {
        return scan_neighbours(reference, 0, filter, k, workers, progress, found, context);
      });
  comparison.evaluated = scan_neighbours(evaluated, 1, filter, k, workers, progress, statistics, context);
  scan_counts(reference, evaluated, requests, filter, workers, progress, comparison, context);
  return comparison;
}

}  // namespace markeval::geometry
