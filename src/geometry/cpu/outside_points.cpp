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

std::vector<OutsidePoint> CpuSetEngine::outside(SetId points_id, std::span<const std::uint8_t> covered,
                                                SetId centres_id, std::span<const double> squared_radius,
                                                RowRange range, PairWork& work) {
  const RunContext& context = work.context;
  CpuSet &points = sets_.at(points_id), &centres = sets_.at(centres_id);
  const PairFilter* const filter = way_through({points, centres}, 1, context);
  const DirectDistance direct(points_of(points), points_of(centres));
  std::vector<double> radius(squared_radius.size());
  std::transform(squared_radius.begin(), squared_radius.end(), radius.begin(),
                 [](double square) { return std::sqrt(square); });
  std::vector<OutsidePoint> found(points.rows);
  for (std::size_t row = 0; row < found.size(); ++row)
    found[row] = {static_cast<std::uint32_t>(row), 0, std::numeric_limits<double>::infinity(), 0};
  const auto asks = [&](std::size_t row) { return covered[row] == 0 && range.has(row); };
  if (filter == nullptr) {
    context.pool.for_each(found.size(), [&](std::size_t row, std::size_t) {
      context.check_cancelled();
      for (std::size_t centre = 0; asks(row) && centre < radius.size(); ++centre)
        consider(found[row], centre, std::sqrt(direct(row, centre)), radius[centre]);
    });
  } else {
    const CodedPoints &coded_points = *points.coded, &coded_centres = *centres.coded;
    std::vector<float> reach(found.size(), -1.0f);
    const std::vector<float> no_reach(radius.size(), -1.0f);
    auto& scratches = scratch(context);
    context.pool.for_each(blocks_of(found.size()), [&](std::size_t block, std::size_t worker) {
      for (std::size_t other = 0; other < blocks_of(radius.size()); ++other) {
        context.check_cancelled();
        const Tile tile = block_tile(block, other, found.size(), radius.size());
        // A ball of this block can only beat the best gap so far from within that gap plus the largest
        // radius.
        double largest = 0;
        for (std::size_t slot = tile.base_begin; slot < tile.base_end; ++slot)
          largest = std::max(largest, radius[coded_centres.order[slot]]);
        bool any = false;
        for (std::size_t slot = tile.query_begin; slot < tile.query_end; ++slot) {
          const std::size_t row = coded_points.order[slot];
          if (!asks(row)) continue;
          any = true;
          reach[row] =
              static_cast<float>(std::max(0.0, found[row].gap() + largest) * filter->unit() * (1 + 1e-6));
        }
        if (any) {
          for (const FilteredPair& pair :
               filter->select(coded_points, coded_centres, tile, reach, no_reach, scratches[worker])) {
            OutsidePoint& point = found[pair.query];
            if (pair.lower <= (point.gap() + radius[pair.base]) * filter->unit() * (1 + 1e-6))
              consider(point, pair.base, std::sqrt(direct(pair.query, pair.base)), radius[pair.base]);
          }
        }
        work.advance(tile.pairs());
      }
    });
  }
  std::erase_if(found, [&](const OutsidePoint& point) { return !asks(point.row); });
  return found;
}

}  // namespace markeval::geometry::cpu
