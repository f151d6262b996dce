// Every pair is bounded in float32 first; the distance in double is computed where the bounds do not decide.
// What must hold: the order of neighbours and the edge of a ball are those of set_engine.hpp (`nearer`,
// `inside`), applied to distances in double.
#include "geometry/small_sets.hpp"

#include <algorithm>
#include <cassert>

#include "geometry/direct_distance.hpp"

namespace markeval::geometry {
namespace {

/// The largest radius asked for of every row.
std::vector<double> largest_radii(const NeighbourLists& lists, std::span<const BallRequest> requests) {
  std::size_t k = 0;
  for (const BallRequest& request : requests) k = std::max(k, request.k);
  std::vector<double> radii(lists.rows());
  for (std::size_t row = 0; row < radii.size(); ++row) radii[row] = lists.squared_radius(row, k);
  return radii;
}

/// Whether the ball holds what lies between the bounds; `measure` is asked where they do not tell.
template <typename Measure>
bool inside(const SquareBounds& bounds, double squared_radius, Ball ball, const Measure& measure) {
  if (bounds.upper < squared_radius) return true;
  if (bounds.lower > squared_radius) return false;
  return inside(measure(), squared_radius, ball);
}

}  // namespace

NeighbourLists small_set_neighbours(MatrixView<const float> rows, std::size_t k, SmallSetScratch& scratch) {
  const std::size_t count = rows.rows();
  NeighbourLists lists;
  if (count < 2 || k == 0) return lists;
  lists.k = std::min(k, count - 1);
  lists.neighbours.reserve(count * lists.k);
  const DirectDistance direct(rows, rows);
  scratch.lower.resize(count * count);
  scratch.upper.resize(count * count);
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t other = row + 1; other < count; ++other) {
      const SquareBounds bounds = direct.bounds(row, other);
      scratch.lower[row * count + other] = scratch.lower[other * count + row] = bounds.lower;
      scratch.upper[row * count + other] = scratch.upper[other * count + row] = bounds.upper;
    }
  }
  for (std::size_t row = 0; row < count; ++row) {
    const double* lower = scratch.lower.data() + row * count;
    const double* upper = scratch.upper.data() + row * count;
    scratch.sorted.assign(upper, upper + row);
    scratch.sorted.insert(scratch.sorted.end(), upper + row + 1, upper + count);
    const auto reach = scratch.sorted.begin() + static_cast<std::ptrdiff_t>(lists.k) - 1;
    std::nth_element(scratch.sorted.begin(), reach, scratch.sorted.end());
    scratch.candidates.clear();
    for (std::size_t other = 0; other < count; ++other) {
      if (other == row || lower[other] > *reach) continue;
      scratch.candidates.push_back({static_cast<std::uint32_t>(other), direct(row, other)});
    }
    const auto end = scratch.candidates.begin() + static_cast<std::ptrdiff_t>(lists.k);
    std::partial_sort(scratch.candidates.begin(), end, scratch.candidates.end(), nearer);
    lists.neighbours.insert(lists.neighbours.end(), scratch.candidates.begin(), end);
  }
  return lists;
}

std::vector<CrossCounts> small_set_counts(MatrixView<const float> reference,
                                          const NeighbourLists& reference_neighbours,
                                          MatrixView<const float> evaluated,
                                          const NeighbourLists& evaluated_neighbours,
                                          std::span<const BallRequest> requests) {
  std::vector<CrossCounts> all;
  for (const BallRequest& request : requests) {
    assert(request.k <= reference_neighbours.k && request.k <= evaluated_neighbours.k);
    all.push_back(no_counts(request, reference.rows(), evaluated.rows()));
  }
  if (requests.empty()) return all;
  const DirectDistance direct(reference, evaluated);
  const std::vector<double> reference_reach = largest_radii(reference_neighbours, requests);
  const std::vector<double> evaluated_reach = largest_radii(evaluated_neighbours, requests);
  for (std::size_t r = 0; r < reference.rows(); ++r) {
    for (std::size_t e = 0; e < evaluated.rows(); ++e) {
      const SquareBounds bounds = direct.bounds(r, e);
      if (bounds.lower > reference_reach[r] && bounds.lower > evaluated_reach[e]) continue;
      const auto measure = [&] { return direct(r, e); };
      for (CrossCounts& counts : all) {
        const auto [k, ball] = counts.request;
        if (inside(bounds, reference_neighbours.squared_radius(r, k), ball, measure)) {
          ++counts.reference_balls.hits[r];
          counts.reference_balls.covered[e] = 1;
        }
        if (inside(bounds, evaluated_neighbours.squared_radius(e, k), ball, measure)) {
          ++counts.evaluated_balls.hits[e];
          counts.evaluated_balls.covered[r] = 1;
        }
      }
    }
  }
  return all;
}

}  // namespace markeval::geometry
