// Which pairs of rows can be close? A low-precision matrix product answers for whole tiles at once and is
// never wrong in one direction: a pair it leaves out is farther apart than asked. What it lets through comes
// with proven lower and upper bounds on the distance. docs/background/exactness.md holds the whole proof.
//
// Two ways, chosen from the data: the int8 product over all columns; or a cascade, in which the product runs
// over a few principal axes plus one column for the length of all the rest (a map that never lengthens a
// distance), and only the pairs that survive are measured over all columns.
//
// All distances in this interface are in the filter's own unit: `unit()` times the user's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/run_context.hpp"
#include "compute/device.hpp"
#include "geometry/cpu/coding.hpp"
#include "geometry/points.hpp"
#include "geometry/set_engine.hpp"

namespace markeval::geometry::cpu {

struct FilteredPair {
  std::uint32_t query;
  std::uint32_t base;
  float lower;  ///< the distance is not below this
  float upper;  ///< nor above this
};

class PairFilter {
 public:
  /// Codes all sets with one centre, unit and choice of method. `expected_neighbours` (the largest k) only
  /// helps to choose. Sets must be finite, of one width, and live as long as the filter.
  PairFilter(std::span<const Points> sets, std::size_t expected_neighbours, Method method,
             const PairOperations& pairs, compute::Device& device, const RunContext& context);

  const std::string& method() const { return method_; }
  double unit() const { return unit_; }

  /// Tiles are cut from an order of the filter's own, in which near rows may stand together.
  bool reordered() const { return cascade_; }
  /// The row that stands at this place of it.
  std::size_t row(std::size_t set, std::size_t place) const { return order_[set][place]; }

  /// Scratch space of one worker.
  class TileScratch {
   public:
    TileScratch();

   private:
    friend class PairFilter;
    /// Which coded squared distances of the tile are of interest.
    void find_limits(const CodedSet& query, const CodedSet& base, const Tile& tile);
    // Of the tile: room for kBlockRows on either side.
    std::vector<float> query_reach_;
    std::vector<float> base_reach_;
    std::vector<float> query_limits_;
    std::vector<float> base_limits_;
    std::vector<CodedPair> pairs_;
    std::vector<FilteredPair> result_;
  };

  /// The pairs of the tile that may be within reach[query] or within reach[base] of each other. Places of the
  /// tile must lie inside one block of kBlockRows on each side. Pairs and reaches are by row of the whole
  /// set; reaches may be infinite, and a negative one means that the row asks for nothing.
  std::span<const FilteredPair> select(std::size_t query_set, std::size_t base_set, const Tile& tile,
                                       std::span<const float> query_reach, std::span<const float> base_reach,
                                       TileScratch& scratch) const;

 private:
  struct Coded {
    CodedSet full;
    CodedSet head;  ///< only in a cascade
  };
  /// A few rows in principal axes, from which the cascade is judged.
  struct Sample {
    AlignedBuffer<float> rows;  ///< as they are, centred
    std::vector<double> axes;   ///< axes_count rows
    std::size_t axes_count = 0;
    AlignedBuffer<float> rotated;       ///< per row: its coordinates along the axes
    std::vector<double> rest_squares;   ///< per row: squared length of what the axes do not show
    std::vector<double> squared_reach;  ///< per query (the first rows): how far its k-th neighbour is
  };
  struct Estimate {
    double surviving_share;
    double mean_rest;  ///< mean length of what lies beyond the head
  };
  /// How many axes to take.
  struct Head {
    std::size_t axes;
    double cost;       ///< per pair, in columns of the product
    double mean_rest;  ///< taken off every length of the rest, so that what is left to code is small
  };
  /// All but squared_reach.
  Sample rotated_sample(std::size_t wanted_rows, std::size_t wanted_axes, const RunContext& context) const;
  /// Fills in squared_reach of the first rows, which are rows of the sets in turn.
  void find_reach(Sample& sample, std::size_t query_count, std::size_t expected_neighbours,
                  const RunContext& context) const;
  Head cheapest_head(const Sample& sample, const RunContext& context) const;
  static Estimate estimate_survivors(const Sample& sample, std::size_t head, const RunContext& context);
  class Projection;
  void order_rows(std::size_t set, MatrixView<const double> axes, const RunContext& context);
  void code_full(std::size_t set, const RunContext& context);
  void code_head(std::size_t set, MatrixView<const double> axes, double typical_rest,
                 const RunContext& context);
  /// Orders and codes the rows where it takes a cascade.
  void choose_cascade(std::size_t expected_neighbours, bool forced, const RunContext& context);
  void centred_row(std::size_t set, std::size_t row, float* out) const;

  std::vector<Points> sets_;
  const PairOperations& pairs_;
  compute::Device& device_;  ///< turns the rows along the axes of a cascade
  std::vector<double> centre_;
  double unit_ = 1;
  std::size_t largest_rows_ = 0;
  std::vector<std::vector<std::uint32_t>> order_;  ///< of every set: row by place
  std::vector<Coded> coded_;                       ///< by place
  bool cascade_ = false;
  std::string method_;
};

}  // namespace markeval::geometry::cpu
