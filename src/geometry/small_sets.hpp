// What set_comparison.hpp finds, for sets of a few hundred rows of which there are thousands: no filter is
// set up, everything happens on the calling thread, and the neighbours inside a set are found once however
// many other sets it meets. Exact as ever: float bounds decide most pairs, the direct double distance the
// rest.
#pragma once

#include <span>
#include <vector>

#include "geometry/set_comparison.hpp"

namespace markeval::geometry {

/// Working memory of one thread.
struct SmallSetScratch {
  std::vector<double> lower;
  std::vector<double> upper;
  std::vector<double> sorted;
  std::vector<Neighbour> candidates;
};

/// The k nearest other rows of every row, or all of them where there are fewer. No rows, one, or
/// k = 0: empty lists.
NeighbourLists small_set_neighbours(MatrixView<const float> rows, std::size_t k, SmallSetScratch& scratch);

/// Every request's k must be at most that of both lists.
std::vector<CrossCounts> small_set_counts(MatrixView<const float> reference,
                                          const NeighbourLists& reference_neighbours,
                                          MatrixView<const float> evaluated,
                                          const NeighbourLists& evaluated_neighbours,
                                          std::span<const BallRequest> requests);

}  // namespace markeval::geometry
