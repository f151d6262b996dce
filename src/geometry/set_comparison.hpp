// Two sets of points held against each other: who are the nearest neighbours inside each set, and how many
// points of one lie inside the neighbour balls of the other. The ball of a point reaches to its k-th nearest
// neighbour in its own set. One call serves every k and both kinds of ball. Everything is exact: the same
// answer as comparing squared distances computed directly in double.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "geometry/set_engine.hpp"

namespace markeval::geometry {

struct SetComparison {
  NeighbourLists reference;  ///< with the largest k asked for
  NeighbourLists evaluated;
  std::vector<CrossCounts> counts;  ///< in the order of the requests
  FilterStatistics statistics;
};

/// Throws Error(invalid_input) where the widths differ, a request's k is not in [1, rows) of both sets, or a
/// value is not finite (SetEngine::prepare). `progress` and cancellation through `context`.
SetComparison compare_sets(SetEngine& engine, SetId reference, SetId evaluated,
                           std::span<const BallRequest> requests, const RunContext& context);

/// The points with covered[row] == 0, farthest outside (largest gap) first; ties: lower row first.
/// squared_radius holds one value per centre.
std::vector<OutsidePoint> outside_points(SetEngine& engine, SetId centres,
                                         std::span<const double> squared_radius, SetId points,
                                         std::span<const std::uint8_t> covered, const RunContext& context);

}  // namespace markeval::geometry
