// The CPU's engine, and the only door to this folder. Pairs: a filter of int8 products (pair_filter.hpp)
// passes over those that are surely too far apart, bounds decide most of the others, and the direct distance
// in double the rest. Small sets take the plain loop over all pairs in double. Large subsets of two sets that
// are compared again and again take what is known of the whole sets (subset_lists.hpp).
//
// Each operation has a file: self_neighbours.cpp, cross_counts.cpp, outside_points.cpp, kmeans.cpp,
// gaussian.cpp, principal_axes.cpp. Why no pair is ever lost is docs/background/exactness.md, which holds the
// whole proof for this folder.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "geometry/cpu/pair_filter.hpp"
#include "geometry/cpu/subset_lists.hpp"
#include "geometry/set_engine.hpp"

namespace markeval::geometry::cpu {

inline double share_of(std::size_t part, std::size_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

/// Blocks of kBlockRows that hold so many rows.
inline std::size_t blocks_of(std::size_t rows) {
  return (rows + kBlockRows - 1) / kBlockRows;
}

/// Rows of two blocks as a tile.
inline Tile block_tile(std::size_t query_block, std::size_t base_block, std::size_t query_rows,
                       std::size_t base_rows) {
  return {query_block * kBlockRows, std::min(query_rows, (query_block + 1) * kBlockRows),  //
          base_block * kBlockRows, std::min(base_rows, (base_block + 1) * kBlockRows)};
}

class CpuSetEngine final : public SetEngine {
 public:
  /// `pairs` and `device` must outlive it.
  CpuSetEngine(const PairOperations& pairs, compute::Device& device, Method method)
      : pairs_(pairs), device_(device), method_(method) {}

  SetId add(Points points, std::string name) override;
  SetId subset(SetId set, std::span<const std::uint32_t> rows) override;
  void drop(SetId set) override;
  std::size_t rows(SetId set) const override { return sets_.at(set).rows; }
  std::size_t columns(SetId set) const override { return sets_.at(set).columns; }
  void read_row(SetId set, std::size_t row, std::span<double> out) const override;

  void prepare(SetId reference, SetId evaluated, std::size_t largest_k, const RunContext& context) override;
  NeighbourLists neighbours(SetId set, RowRange range, std::size_t k, PairWork& work) override;
  std::vector<CrossCounts> counts(const SetBalls& reference, const SetBalls& evaluated,
                                  std::span<const BallRequest> requests, RowRange range,
                                  PairWork& work) override;
  std::vector<OutsidePoint> outside(SetId points, std::span<const std::uint8_t> covered, SetId centres,
                                    std::span<const double> squared_radius, RowRange range,
                                    PairWork& work) override;
  std::vector<Clustering> cluster(std::span<const SetId> sets, const ClusterRequest& request,
                                  const RunContext& context) override;
  SpanSums sums(SetId set, RowRange range, const RunContext& context) override;
  SpanSums squares(SetId set, std::span<const double> mean, RowRange range,
                   const RunContext& context) override;
  Gaussian covariance(SetId set, const RunContext& context) override { return gaussian_of(set, context); }
  FrechetDistance frechet(SetId a, SetId b, const RunContext& context) override;
  SetAxes axes(SetId set, std::size_t count, const RunContext& context) override;

 private:
  /// What is known of the values of a set.
  struct ValueFacts {
    double largest_magnitude = 0;
    std::vector<double> mean;
    double mean_square = 0;  ///< of the rows' lengths
  };
  /// What finding neighbours gave.
  struct FoundNeighbours {
    NeighbourLists lists;
    std::uint64_t pairs = 0, refined = 0;
  };
  struct CpuSet {
    std::string name;
    std::size_t rows = 0, columns = 0;
    std::optional<Points> points;  ///< of a subset: once its rows were copied
    // Only for a subset:
    std::optional<SetId> parent{};
    SubsetRows chosen{};
    bool by_lists = false;  ///< its neighbours come from those of the parent
    std::variant<AlignedBuffer<float>, AlignedBuffer<double>> copies{};
    // Made when needed.
    std::optional<ValueFacts> facts{};
    std::shared_ptr<const PairFilter> filter{};
    std::optional<CodedPoints> coded{};  ///< by `filter`
    FoundNeighbours found{};
    NeighbourLists deep{};  ///< of a set with subsets: more neighbours than anyone asks for
    std::optional<Gaussian> gaussian{};
  };
  /// What is known between two sets that have subsets.
  struct KnownPairs {
    double compared = 0;  ///< pairs of their subsets so far, as a share of all
    std::optional<CrossLists> lists{};
    bool too_many = false;  ///< there is no room for the lists
  };
  struct TwoSets {
    CpuSet& query;
    CpuSet& base;
  };

  SetId keep(CpuSet set);
  const Points& points_of(CpuSet& set);
  const ValueFacts& facts_of(CpuSet& set, const RunContext& context);
  ValueFacts facts_of(TwoSets sets, const RunContext& context);
  /// Throws where the values do not allow squares.
  const Points& checked_points(SetId set, const RunContext& context);
  const Gaussian& gaussian_of(SetId set, const RunContext& context);
  /// The filter by which both sets are coded afterwards; null: every pair is computed in double.
  const PairFilter* way_through(TwoSets sets, std::size_t largest_k, const RunContext& context);
  bool take_direct(TwoSets sets, const RunContext& context);
  static bool suits(const PairFilter& filter, const ValueFacts& facts);
  void code(CpuSet& set, const std::shared_ptr<const PairFilter>& filter, const RunContext& context);
  /// Whether subsets go by lists of their parents, which are made where that pays.
  bool know_pairs(CpuSet& reference, CpuSet& evaluated, std::size_t k, const RunContext& context);
  /// None where they would be too long.
  std::optional<CrossLists> find_cross_lists(CpuSet& reference, CpuSet& evaluated, const RunContext& context);
  /// Null where the subsets do not go by lists.
  const CrossLists* cross_lists(const CpuSet& reference, const CpuSet& evaluated) const;

  FoundNeighbours find_neighbours(CpuSet& set, RowRange range, std::size_t k, PairWork& work);
  static NeighbourLists direct_neighbours(Points points, RowRange range, std::size_t k,
                                          const RunContext& context);
  FoundNeighbours filtered_neighbours(const CpuSet& set, RowRange range, std::size_t k, PairWork& work);
  std::vector<PairFilter::TileScratch>& scratch(const RunContext& context);

  const PairOperations& pairs_;
  compute::Device& device_;
  Method method_;
  std::map<SetId, CpuSet> sets_;
  std::uint32_t next_ = 0;
  std::shared_ptr<const PairFilter> filter_;  ///< the latest
  std::map<std::pair<SetId, SetId>, KnownPairs> known_;
  std::vector<PairFilter::TileScratch> scratch_;  ///< of every worker of the pool
};

/// Null for a device that is no CPU.
std::unique_ptr<SetEngine> make_engine(compute::Device& device, Method method);

}  // namespace markeval::geometry::cpu
