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

#include "base/matrix.hpp"
#include "base/run_context.hpp"
#include "compute/device.hpp"
#include "geometry/cpu/coding.hpp"
#include "geometry/cpu/subset_lists.hpp"
#include "geometry/points.hpp"
#include "geometry/set_engine.hpp"

namespace markeval::geometry::cpu {

struct FilteredPair {
  std::uint32_t query;
  std::uint32_t base;
  float lower;  ///< the distance is not below this
  float upper;  ///< nor above this
};

/// A set as a filter has coded it.
struct CodedPoints {
  Points points;
  std::vector<std::uint32_t> order;  ///< row by slot: an order in which near rows may stand together
  CodedSet full;
  CodedSet head;  ///< only in a cascade

  std::size_t rows() const { return order.size(); }
};

/// What a filter is chosen for.
struct FilteredSets {
  std::span<const Points> sets;     ///< finite and of one width
  std::vector<double> centre;       ///< any is right, one near their mean keeps the codes fine
  double largest;                   ///< no value is farther from 0
  std::size_t expected_neighbours;  ///< the largest k; only helps to choose
};

class PairFilter {
 public:
  /// Chooses unit and method for these sets and others like them.
  PairFilter(const FilteredSets& sets, Method method, const PairOperations& pairs, compute::Device& device,
             const RunContext& context);

  const std::string& method() const { return method_; }
  double unit() const { return unit_; }
  std::span<const double> centre() const { return centre_; }
  /// Whether tiles are cut from an order of the filter's own.
  bool reordered() const { return cascade_; }

  /// Any finite set of this width whose values are not much larger; the rows must live as long as the codes.
  CodedPoints code(Points points, const RunContext& context) const;
  /// The same for a subset, from the codes of the whole set. `points` are its rows.
  CodedPoints code_subset(const CodedPoints& whole, const SubsetRows& subset, Points points) const;

  /// Scratch space of one worker.
  class TileScratch {
   public:
    TileScratch();

   private:
    friend class PairFilter;
    /// Which coded squared distances of the tile are of interest.
    void find_limits(const CodedSet& query, const CodedSet& base, const Tile& tile);
    // Limits of the tile: room for kBlockRows on either side.
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
  std::span<const FilteredPair> select(const CodedPoints& query, const CodedPoints& base, const Tile& tile,
                                       std::span<const float> query_reach, std::span<const float> base_reach,
                                       TileScratch& scratch) const;

 private:
  /// A few rows in principal axes, from which the cascade is judged.
  struct Sample {
    std::vector<std::size_t> sampled_rows;  ///< row i is this one of set i % sets
    AlignedBuffer<float> rows;              ///< as they are, centred
    std::vector<double> axes;               ///< axes_count rows
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
  /// What the filter is chosen from.
  struct GivenSets {
    std::span<const Points> sets;
    std::size_t largest_rows;
    std::size_t expected_neighbours;
    const RunContext& context;
  };
  /// All but squared_reach.
  Sample rotated_sample(const GivenSets& given, std::size_t wanted_rows, std::size_t wanted_axes) const;
  /// Fills in squared_reach of the first rows, which are rows of the sets in turn.
  void find_reach(const GivenSets& given, std::size_t query_count, Sample& sample) const;
  Head cheapest_head(const GivenSets& given, const Sample& sample) const;
  static Estimate estimate_survivors(const Sample& sample, std::size_t head, const RunContext& context);
  /// Keeps the axes where it takes a cascade.
  void choose_cascade(const GivenSets& given, bool forced);
  /// Rows of a set along the axes.
  struct Projection {
    Matrix<float> coordinates;
    std::vector<double> squares;  ///< by row: its squared length
  };
  Projection project(const Points& points, const RunContext& context) const;
  static std::vector<std::uint32_t> find_order(MatrixView<const float> coordinates);
  CodedSet code_full(const CodedPoints& coded, const RunContext& context) const;
  CodedSet code_head(const Projection& rows, std::span<const std::uint32_t> order,
                     const RunContext& context) const;
  void centred_row(const Points& points, std::size_t row, float* out) const;

  const PairOperations& pairs_;
  compute::Device& device_;  ///< turns the rows along the axes of a cascade
  std::vector<double> centre_;
  double unit_ = 1;
  bool cascade_ = false;
  Matrix<double> axes_;      ///< of a cascade
  double typical_rest_ = 0;  ///< see Head::mean_rest
  std::string method_;
};

}  // namespace markeval::geometry::cpu
