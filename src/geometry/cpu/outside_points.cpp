// Points inside no ball, and how far outside they are.
//
// The nearest ball of a point is the one with the smallest gap = distance - radius. A ball can only beat the
// best gap so far if its centre is nearer than that gap plus its radius: that is the reach the filter is
// asked with, and it falls from block to block. What must hold: the reach is rounded up, so by the claim of
// docs/background/exactness.md every centre that can win is let through; the distance in double decides.
#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/cpu/cpu_set_engine.hpp"
#include "geometry/direct_distance.hpp"

namespace markeval::geometry::cpu {
namespace {

/// Keeps the nearest ball of one point; rows of centres may come in any order.
void consider(OutsidePoint& point, std::size_t centre, double distance, double radius) {
  const double gap = distance - radius;
  if (gap < point.gap() || (gap == point.gap() && centre < point.nearest_centre)) {
    point.nearest_centre = static_cast<std::uint32_t>(centre);
    point.distance = distance;
    point.radius = radius;
  }
}

}  // namespace

void CpuSetEngine::direct_outside(std::span<const double> radius, std::span<const std::uint8_t> covered,
                                  std::vector<OutsidePoint>& points) const {
  const DirectDistance direct(sets_[0], sets_[1]);
  context_.pool.for_each(points.size(), [&](std::size_t row, std::size_t) {
    context_.check_cancelled();
    if (covered[row] != 0) return;
    for (std::size_t centre = 0; centre < radius.size(); ++centre)
      consider(points[row], centre, std::sqrt(direct(row, centre)), radius[centre]);
  });
}

void CpuSetEngine::filtered_outside(std::span<const double> radius, std::span<const std::uint8_t> covered,
                                    PairProgress& progress, std::vector<OutsidePoint>& points) {
  const PairFilter& filter = *filter_;
  const DirectDistance direct(sets_[0], sets_[1]);
  std::vector<float> reach(points.size(), -1.0f);
  const std::vector<float> no_reach(radius.size(), -1.0f);
  context_.pool.for_each(blocks_of(points.size()), [&](std::size_t block, std::size_t worker) {
    for (std::size_t other = 0; other < blocks_of(radius.size()); ++other) {
      context_.check_cancelled();
      const Tile tile = block_tile(block, other, points.size(), radius.size());
      // A ball of this block can only beat the best gap so far from within that gap plus the largest radius.
      double largest = 0;
      for (std::size_t place = tile.base_begin; place < tile.base_end; ++place)
        largest = std::max(largest, radius[filter.row(1, place)]);
      bool any = false;
      for (std::size_t place = tile.query_begin; place < tile.query_end; ++place) {
        const std::size_t row = filter.row(0, place);
        if (covered[row] != 0) continue;
        any = true;
        reach[row] =
            static_cast<float>(std::max(0.0, points[row].gap() + largest) * filter.unit() * (1 + 1e-6));
      }
      if (any) {
        for (const FilteredPair& pair : filter.select(0, 1, tile, reach, no_reach, scratch_[worker])) {
          OutsidePoint& point = points[pair.query];
          if (pair.lower <= (point.gap() + radius[pair.base]) * filter.unit() * (1 + 1e-6))
            consider(point, pair.base, std::sqrt(direct(pair.query, pair.base)), radius[pair.base]);
        }
      }
      progress.advance(tile.pairs());
    }
  });
}

std::vector<OutsidePoint> CpuSetEngine::outside(std::span<const double> squared_radius,
                                                std::span<const std::uint8_t> covered,
                                                PairProgress& progress) {
  std::vector<double> radius(squared_radius.size());
  std::transform(squared_radius.begin(), squared_radius.end(), radius.begin(),
                 [](double s) { return std::sqrt(s); });
  std::vector<OutsidePoint> points(sets_[0].rows());
  for (std::size_t row = 0; row < points.size(); ++row)
    points[row] = {static_cast<std::uint32_t>(row), 0, std::numeric_limits<double>::infinity(), 0};
  if (filter_) {
    filtered_outside(radius, covered, progress, points);
  } else {
    direct_outside(radius, covered, points);
  }
  std::erase_if(points, [&](const OutsidePoint& point) { return covered[point.row] != 0; });
  return points;
}

}  // namespace markeval::geometry::cpu
