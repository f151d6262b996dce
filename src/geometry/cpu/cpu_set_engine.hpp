// The CPU's way through the pairs of two sets, and the only door to this folder: a filter of int8 products
// (pair_filter.hpp) passes over the pairs that are surely too far apart, bounds decide most of the others,
// and the direct distance in double the rest. Small sets take the plain loop over all pairs in double.
//
// Each operation has a file: self_neighbours.cpp, cross_counts.cpp, outside_points.cpp. Why no pair is ever
// lost is docs/background/exactness.md, which holds the whole proof for this folder.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "geometry/cpu/pair_filter.hpp"
#include "geometry/set_engine.hpp"

namespace markeval::geometry::cpu {

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
  /// All but `sets` itself must outlive it.
  CpuSetEngine(const EngineSets& sets, const PairOperations& pairs, compute::Device& device,
               const RunContext& context);

  std::string method() const override { return filter_ ? filter_->method() : "direct"; }
  NeighbourLists neighbours(std::size_t set, std::size_t k, PairProgress& progress,
                            FilterStatistics& statistics) override;
  std::vector<CrossCounts> counts(const NeighbourLists& reference, const NeighbourLists& evaluated,
                                  std::span<const BallRequest> requests, PairProgress& progress,
                                  FilterStatistics& statistics) override;
  std::vector<OutsidePoint> outside(std::span<const double> squared_radius,
                                    std::span<const std::uint8_t> covered, PairProgress& progress) override;

 private:
  NeighbourLists direct_neighbours(Points points, std::size_t k) const;
  NeighbourLists filtered_neighbours(std::size_t set, std::size_t k, PairProgress& progress,
                                     std::uint64_t& refined);
  void direct_outside(std::span<const double> radius, std::span<const std::uint8_t> covered,
                      std::vector<OutsidePoint>& points) const;
  void filtered_outside(std::span<const double> radius, std::span<const std::uint8_t> covered,
                        PairProgress& progress, std::vector<OutsidePoint>& points);

  std::vector<Points> sets_;
  const RunContext& context_;
  std::optional<PairFilter> filter_;              ///< none: every pair is computed in double
  std::vector<PairFilter::TileScratch> scratch_;  ///< of every worker of the pool
};

}  // namespace markeval::geometry::cpu
