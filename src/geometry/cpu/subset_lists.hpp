// Neighbours and counts of subsets from what is known of the whole sets. Halves of two sets are compared
// hundreds of times for an interval. A row's neighbours in a half are those of its neighbours in the whole
// set that belong to the half, in the same order; so one deep list of every row serves all halves. The same
// holds for the points of the other set around it.
//
// What must hold: a list has every row within its reach, so a radius within the reach is decided by the list
// alone. Rows whose list is too short are measured in double against all rows of the subset. The answer is
// that of plain loops in both cases.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "geometry/set_engine.hpp"

namespace markeval::geometry::cpu {

/// Rows of a set that make a subset.
struct SubsetRows {
  static constexpr std::uint32_t kAbsent = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::uint32_t> rows;      ///< of the set, rising
  std::vector<std::uint32_t> index_of;  ///< by row of the set: where it stands in the subset, or kAbsent

  SubsetRows() = default;
  SubsetRows(std::span<const std::uint32_t> chosen, std::size_t all);
};

/// Points of another set around every row of one, nearest first.
struct NearPoints {
  std::vector<std::size_t> starts;    ///< of every row, and the end
  std::vector<Neighbour> points;      ///< all within the reach of their row
  std::vector<double> squared_reach;  ///< by row

  std::span<const Neighbour> of(std::size_t row) const {
    return {points.data() + starts[row], starts[row + 1] - starts[row]};
  }
};

/// Two sets, each seen from the other.
struct CrossLists {
  NearPoints of_reference, of_evaluated;
};
/// A pair of rows of two sets.
struct NearPair {
  std::uint32_t reference, evaluated;
  double squared_distance;
};
/// Sorts pairs into lists; the reach of a row is the distance of its last deep neighbour.
CrossLists make_cross_lists(const std::vector<std::vector<NearPair>>& pairs, const NeighbourLists& reference,
                            const NeighbourLists& evaluated, const RunContext& context);

/// So many neighbours of the whole set leave k in a subset of this share nearly always.
std::size_t deep_enough(std::size_t k, double share);

/// SetEngine::neighbours of a subset of `points`; `deep` are the neighbours in the whole set. `refined`
/// counts pairs measured in double.
NeighbourLists subset_neighbours(const Points& points, const NeighbourLists& deep, const SubsetRows& subset,
                                 RowRange range, std::size_t k, const RunContext& context,
                                 std::uint64_t& refined);

/// A subset whose balls are asked for.
struct SubsetBalls {
  const Points& points;  ///< of the whole set
  const SubsetRows& subset;
  const NeighbourLists& neighbours;  ///< inside the subset
};
/// SetEngine::counts of two subsets.
std::vector<CrossCounts> subset_counts(const SubsetBalls& reference, const SubsetBalls& evaluated,
                                       const CrossLists& lists, std::span<const BallRequest> requests,
                                       RowRange range, const RunContext& context, std::uint64_t& refined);

}  // namespace markeval::geometry::cpu
