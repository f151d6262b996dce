// Two sets of points held against each other: who are the nearest neighbours inside each set, and how many
// points of one lie inside the neighbour balls of the other. The ball of a point reaches to its k-th nearest
// neighbour in its own set. One call serves every k and both kinds of ball. Everything is exact: the same
// answer as comparing squared distances computed directly in double.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/run_context.hpp"
#include "compute/device.hpp"
#include "geometry/points.hpp"

namespace markeval::geometry {

struct Neighbour {
  std::uint32_t row;
  double squared_distance;
};

/// The k nearest other rows of every row, nearest first; equal distances: lower row first.
struct NeighbourLists {
  std::size_t k = 0;
  std::vector<Neighbour> neighbours;  ///< k for row 0, k for row 1, ...

  std::size_t rows() const { return k == 0 ? 0 : neighbours.size() / k; }
  std::span<const Neighbour> of(std::size_t row) const { return {neighbours.data() + row * k, k}; }
  /// Squared distance from `row` to its `nearest`-th nearest other row, counted from 1.
  double squared_radius(std::size_t row, std::size_t nearest) const {
    return of(row)[nearest - 1].squared_distance;
  }
};

enum class Ball { closed, open };  ///< distance <= radius, or < radius

struct BallRequest {
  std::size_t k = 1;
  Ball ball = Ball::closed;
  bool operator==(const BallRequest&) const = default;
};

/// The balls of one set (the centres) against the points of the other.
struct BallCounts {
  std::vector<std::uint32_t> hits;    ///< per centre: points inside its ball
  std::vector<std::uint8_t> covered;  ///< per point: 1 where it lies inside at least one ball
  std::uint64_t total_hits() const;
  std::uint64_t total_covered() const;
};

/// How to look at the pairs. The answer is the same; `automatic` takes what is fastest for the data at hand,
/// the others are for tests and benchmarks.
enum class Method {
  automatic,
  direct,   ///< every pair in double
  product,  ///< int8 product over all columns as a filter
  cascade,  ///< int8 product over the first principal axes, then over all columns for what is left
};

/// How the exact answer was found: what `details` tells the user.
struct FilterStatistics {
  std::string method;               ///< "direct", "int8", "int8 cascade 64+1 of 384"
  std::uint64_t pairs = 0;          ///< pairs of different rows that had to be decided
  std::uint64_t pairs_refined = 0;  ///< of those, decided by the direct double computation
};

struct SetComparison {
  NeighbourLists reference;  ///< with the largest k asked for
  NeighbourLists evaluated;
  struct Counts {
    BallRequest request;
    BallCounts reference_balls;  ///< balls of R, points of E
    BallCounts evaluated_balls;  ///< balls of E, points of R
  };
  std::vector<Counts> counts;  ///< in the order of the requests
  FilterStatistics statistics;
};

/// Neighbours inside a set that is compared with one other after the other: filled by the first comparison,
/// used by the next ones. Only for the same reference set.
struct KnownNeighbours {
  NeighbourLists lists;
  FilterStatistics statistics;  ///< what finding them took
};

/// Throws Error(invalid_input) where the widths differ, a request's k is not in [1, rows) of both sets, or a
/// value is not finite (naming the set, row and column, counted from 1). `progress` and cancellation through
/// `context`. `of_reference`: see KnownNeighbours; lists of another k are found anew.
SetComparison compare_sets(Points reference, Points evaluated, std::span<const BallRequest> requests,
                           compute::Device& device, const RunContext& context,
                           Method method = Method::automatic, KnownNeighbours* of_reference = nullptr);

/// A point inside no ball, and the ball it is closest to.
struct OutsidePoint {
  std::uint32_t row;
  std::uint32_t nearest_centre;  ///< the centre whose ball's surface is nearest; ties: lower row
  double distance;               ///< to that centre
  double radius;                 ///< of that ball
  double gap() const { return distance - radius; }
};

/// The points with covered[row] == 0, farthest outside (largest gap) first; ties: lower row first.
/// squared_radius holds one value per centre.
std::vector<OutsidePoint> outside_points(Points centres, std::span<const double> squared_radius,
                                         Points points, std::span<const std::uint8_t> covered,
                                         compute::Device& device, const RunContext& context,
                                         Method method = Method::automatic);

}  // namespace markeval::geometry
