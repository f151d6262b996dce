// The nearest neighbours of every row while a scan is still on: a short list of candidates per row with
// bounds on their distances. Better candidates lower the row's reach, and what lies beyond the reach is
// dropped. The direct distance decides at the end, or earlier where a list would grow too long. Memory is
// rows times a small multiple of k, whatever the data.
//
// What must hold: a candidate is dropped only where k others are surely nearer (docs/background/exactness.md,
// step 8).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "geometry/direct_distance.hpp"
#include "geometry/set_engine.hpp"

namespace markeval::geometry::cpu {

class CandidateLists {
 public:
  /// Lists for the rows of a range. `unit` converts the user's distances into those of the bounds
  /// (PairFilter::unit).
  CandidateLists(Points points, RowRange range, std::size_t k, double unit);

  /// Beyond this distance nothing is of interest to the row any more. Infinite at first, never rises;
  /// negative outside the range.
  std::span<const float> reach() const { return reach_; }

  /// Lowers the row's reach by what stands up to `window` rows before and after it: the layers of one word,
  /// sentences of one text. Different rows may be looked at by different threads.
  void look_around(std::size_t row, std::size_t window);

  /// `other` lies between `lower` and `upper` from `row`. Different rows may be fed by different threads.
  void add(std::size_t row, std::uint32_t other, float lower, float upper);

  /// Decides the row: afterwards its k nearest are in `result`. Every other row that could be among them must
  /// have been added.
  void finish(std::size_t row, std::span<Neighbour> result);

  /// Pairs measured in double so far.
  std::uint64_t refined() const;

 private:
  struct Candidate {
    std::uint32_t row;
    float lower;
    float upper;
  };
  struct RowList {
    std::uint32_t waiting = 0;   ///< candidates with bounds only: first those with sharp bounds ...
    std::uint32_t sharp = 0;     ///< ... so many, from DirectDistance::bounds
    std::uint32_t measured = 0;  ///< neighbours with a distance in double, at most k
    std::uint32_t bounded = 0;   ///< entries of `uppers`
    std::uint32_t refined = 0;
  };
  RowList& list(std::size_t row) { return rows_[row - range_.begin]; }
  Candidate* waiting(std::size_t row) { return waiting_.data() + (row - range_.begin) * capacity_; }
  Neighbour* measured(std::size_t row) { return measured_.data() + (row - range_.begin) * k_; }
  float* uppers(std::size_t row) { return uppers_.data() + (row - range_.begin) * k_; }
  void lower_reach(std::size_t row, float upper);
  void collect_uppers(std::size_t row);
  void drop_beyond_reach(std::size_t row);
  void sharpen(std::size_t row);
  void refine(std::size_t row);

  DirectDistance direct_;
  RowRange range_;
  std::size_t k_;
  std::size_t capacity_;
  double unit_;
  std::vector<RowList> rows_;
  std::vector<float> reach_;
  std::vector<Candidate> waiting_;   ///< capacity_ per row
  std::vector<Neighbour> measured_;  ///< k_ per row, nearest first
  std::vector<float> uppers_;        ///< k_ per row: a heap of the smallest upper bounds of different others
};

}  // namespace markeval::geometry::cpu
