// The passes over all pairs of rows that set_comparison.cpp is made of, each in a filtered and a direct form.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "geometry/pair_filter.hpp"
#include "geometry/set_comparison.hpp"

namespace markeval::geometry {

/// Whether the plain double loop is the way to go: asked for, or so little work that a filter costs more, or
/// values so small that squares vanish in double and a filter would see differences the definition does not.
bool use_direct(std::span<const Points> sets, Method method, const RunContext& context);

inline std::uint64_t pair_area(std::size_t rows, std::size_t other_rows) {
  return static_cast<std::uint64_t>(rows) * other_rows;
}

/// Rows of two blocks as a tile.
inline compute::Tile block_tile(std::size_t query_block, std::size_t base_block, std::size_t query_rows,
                                std::size_t base_rows) {
  return {query_block * kBlockRows, std::min(query_rows, (query_block + 1) * kBlockRows),  //
          base_block * kBlockRows, std::min(base_rows, (base_block + 1) * kBlockRows)};
}

/// Scratch space of every worker of the pool.
class ScanWorkers {
 public:
  ScanWorkers(const PairFilter& filter, const RunContext& context) {
    for (std::size_t worker = 0; worker < context.pool.size(); ++worker) scratch_.emplace_back(filter);
  }
  PairFilter::Scratch& scratch(std::size_t worker) { return scratch_[worker]; }

 private:
  std::vector<PairFilter::Scratch> scratch_;
};

/// Adds up what the workers have done and tells the sink, one thread at a time.
class ScanProgress {
 public:
  ScanProgress(std::string stage, std::uint64_t total, const RunContext& context)
      : stage_(std::move(stage)), total_(total), context_(context) {}
  void advance(std::uint64_t amount) {
    done_ += amount;
    if (context_.progress == nullptr) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock.owns_lock()) context_.report_progress(stage_, std::min<std::uint64_t>(done_, total_), total_);
  }

 private:
  std::string stage_;
  std::uint64_t total_;
  const RunContext& context_;
  std::atomic<std::uint64_t> done_{0};
  std::mutex mutex_;
};

NeighbourLists scan_neighbours(Points points, std::size_t set, const PairFilter& filter, std::size_t k,
                               ScanWorkers& workers, ScanProgress& progress, FilterStatistics& statistics,
                               const RunContext& context);
NeighbourLists direct_neighbours(Points points, std::size_t k, FilterStatistics& statistics,
                                 const RunContext& context);

/// Fills comparison.counts for `requests`; the neighbour lists must be there already.
void scan_counts(Points reference, Points evaluated, std::span<const BallRequest> requests,
                 const PairFilter& filter, ScanWorkers& workers, ScanProgress& progress,
                 SetComparison& comparison, const RunContext& context);
void direct_counts(Points reference, Points evaluated, std::span<const BallRequest> requests,
                   SetComparison& comparison, const RunContext& context);

}  // namespace markeval::geometry
