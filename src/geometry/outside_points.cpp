// Points inside no ball, and how far outside they are.
#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/direct_distance.hpp"
#include "geometry/scan.hpp"

namespace markeval::geometry {
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

std::vector<OutsidePoint> outside_points(Points centres, std::span<const double> squared_radius,
                                         Points points, std::span<const std::uint8_t> covered,
                                         compute::Device& device, const RunContext& context, Method method) {
  std::vector<double> radius(squared_radius.size());
  std::transform(squared_radius.begin(), squared_radius.end(), radius.begin(),
                 [](double s) { return std::sqrt(s); });
  std::vector<OutsidePoint> all(points.rows());
  std::size_t outside = 0;
  for (std::size_t row = 0; row < points.rows(); ++row) {
    all[row] = {static_cast<std::uint32_t>(row), 0, std::numeric_limits<double>::infinity(), 0};
    if (covered[row] == 0) ++outside;
  }
  const DirectDistance direct(points, centres);
  const Points sets[] = {points, centres};
  if (use_direct(sets, method, context)) {
    context.pool.for_each(points.rows(), [&](std::size_t row, std::size_t) {
      context.check_cancelled();
      if (covered[row] != 0) return;
      for (std::size_t centre = 0; centre < radius.size(); ++centre) {
        consider(all[row], centre, std::sqrt(direct(row, centre)), radius[centre]);
      }
    });
  } else if (outside > 0) {
    const PairFilter filter(sets, 1, method, device, context);
    ScanWorkers workers(filter, context);
    const std::size_t point_blocks = (points.rows() + kBlockRows - 1) / kBlockRows;
    const std::size_t centre_blocks = (centres.rows() + kBlockRows - 1) / kBlockRows;
    ScanProgress progress("ranking rows outside", pair_area(points.rows(), centres.rows()), context);
    std::vector<float> reach(points.rows(), -1.0f);
    const std::vector<float> no_reach(centres.rows(), -1.0f);
    context.pool.for_each(point_blocks, [&](std::size_t block, std::size_t worker) {
      for (std::size_t other = 0; other < centre_blocks; ++other) {
        context.check_cancelled();
        const compute::Tile tile = block_tile(block, other, points.rows(), centres.rows());
        // A ball of this block can only beat the best gap so far from within that gap plus the largest
        // radius.
        double largest = 0;
        for (std::size_t place = tile.base_begin; place < tile.base_end; ++place) {
          largest = std::max(largest, radius[filter.row(1, place)]);
        }
        bool any = false;
        for (std::size_t place = tile.query_begin; place < tile.query_end; ++place) {
          const std::size_t row = filter.row(0, place);
          if (covered[row] != 0) continue;
          any = true;
          reach[row] =
              static_cast<float>(std::max(0.0, all[row].gap() + largest) * filter.unit() * (1 + 1e-6));
        }
        if (any) {
          for (const FilteredPair& pair :
               filter.select(0, 1, tile, reach, no_reach, workers.scratch(worker))) {
            OutsidePoint& point = all[pair.query];
            if (pair.lower <= (point.gap() + radius[pair.base]) * filter.unit() * (1 + 1e-6)) {
              consider(point, pair.base, std::sqrt(direct(pair.query, pair.base)), radius[pair.base]);
            }
          }
        }
        progress.advance(tile.pairs());
      }
    });
  }
  std::vector<OutsidePoint> result;
  for (std::size_t row = 0; row < points.rows(); ++row) {
    if (covered[row] == 0) result.push_back(all[row]);
  }
  std::sort(result.begin(), result.end(), [](const OutsidePoint& a, const OutsidePoint& b) {
    return a.gap() != b.gap() ? a.gap() > b.gap() : a.row < b.row;
  });
  return result;
}

}  // namespace markeval::geometry
