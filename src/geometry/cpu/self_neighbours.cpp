// The nearest neighbours inside one set: every pair of rows is looked at once and serves both of them.
//
// Two threads must never feed the list of one row. Blocks of rows meet in the rounds of a tournament, so that
// a block is in one pair of a round at most. What must hold besides: every pair of blocks meets once, and a
// row asks with the reach its list has at that moment (docs/background/exactness.md, step 9).
#include <algorithm>
#include <bit>

#include "geometry/cpu/candidate_lists.hpp"
#include "geometry/cpu/cpu_set_engine.hpp"

namespace markeval::geometry::cpu {
namespace {

// Of a block that meets itself: whole panels of every kernel but AMX's, for which every second part is packed
// again. Measured on Neoverse-N1: 96 rows take 1 % longer, whole blocks 4 to 8 %.
constexpr std::size_t kPartRows = 48;
static_assert(kBlockRows % kPartRows == 0);

}  // namespace

NeighbourLists CpuSetEngine::neighbours(std::size_t set, std::size_t k, PairProgress& progress,
                                        FilterStatistics& statistics) {
  const std::size_t rows = sets_[set].rows();
  const std::uint64_t pairs = static_cast<std::uint64_t>(rows) * (rows - 1) / 2;
  std::uint64_t refined = pairs;
  NeighbourLists lists =
      filter_ ? filtered_neighbours(set, k, progress, refined) : direct_neighbours(sets_[set], k);
  statistics.pairs += pairs;
  statistics.pairs_refined += refined;
  return lists;
}

NeighbourLists CpuSetEngine::filtered_neighbours(std::size_t set, std::size_t k, PairProgress& progress,
                                                 std::uint64_t& refined) {
  const PairFilter& filter = *filter_;
  const std::size_t rows = sets_[set].rows();
  const std::size_t blocks = blocks_of(rows);
  CandidateLists lists(sets_[set], k, filter.unit());
  const auto visit = [&](const Tile& tile, std::size_t worker) {
    context_.check_cancelled();
    const bool diagonal = tile.query_begin == tile.base_begin;  // each pair comes twice there
    for (const FilteredPair& pair :
         filter.select(set, set, tile, lists.reach(), lists.reach(), scratch_[worker])) {
      if (diagonal && pair.query >= pair.base) continue;
      lists.add(pair.query, pair.base, pair.lower, pair.upper);
      lists.add(pair.base, pair.query, pair.lower, pair.upper);
    }
  };
  const auto visit_blocks = [&](std::size_t first, std::size_t second, std::size_t worker) {
    const Tile tile = block_tile(first, second, rows, rows);
    visit(tile, worker);
    progress.advance(tile.pairs());
  };
  // A block meets itself part by part: a few rows give everyone a reach, which leaves out most of the others.
  const auto visit_own = [&](std::size_t block, std::size_t worker) {
    const Tile whole = block_tile(block, block, rows, rows);
    const std::size_t end = whole.query_end;
    for (std::size_t apart = 0; apart < kBlockRows; apart += kPartRows) {
      for (std::size_t query = whole.query_begin; query + apart < end; query += kPartRows) {
        const std::size_t base = query + apart;
        visit({query, std::min(end, query + kPartRows), base, std::min(end, base + kPartRows)}, worker);
      }
    }
    progress.advance(whole.pairs());
  };
  // First where a near row may be: beside each row as the user gave them, then within the filter's blocks.
  if (filter.reordered()) {
    constexpr std::size_t kWindow = 16;
    context_.pool.for_each(blocks, [&](std::size_t block, std::size_t) {
      context_.check_cancelled();
      for (std::size_t row = block * kBlockRows; row < std::min(rows, (block + 1) * kBlockRows); ++row) {
        lists.look_around(row, kWindow);
      }
    });
  }
  context_.pool.for_each(blocks, visit_own);
  // Then a round-robin tournament: in every round each block meets one other at most, so the pairs of a round
  // share no block, can run at once without locks, and give the same result in any order. The filter's order
  // puts near rows into blocks whose numbers differ little: they meet first, and reaches fall early.
  for (std::size_t round = 1; round < std::bit_ceil(blocks); ++round) {
    context_.pool.for_each(blocks, [&](std::size_t block, std::size_t worker) {
      const std::size_t other = block ^ round;
      if (block < other && other < blocks) visit_blocks(block, other, worker);
    });
  }

  NeighbourLists result;
  result.k = k;
  result.neighbours.resize(rows * k);
  context_.pool.for_each(blocks, [&](std::size_t block, std::size_t) {
    context_.check_cancelled();
    for (std::size_t row = block * kBlockRows; row < std::min(rows, (block + 1) * kBlockRows); ++row) {
      lists.finish(row, {result.neighbours.data() + row * k, k});
    }
  });
  refined = lists.refined();
  return result;
}

NeighbourLists CpuSetEngine::direct_neighbours(Points points, std::size_t k) const {
  const std::size_t rows = points.rows();
  const DirectDistance direct(points, points);
  NeighbourLists result;
  result.k = k;
  result.neighbours.resize(rows * k);
  context_.pool.for_each(rows, [&](std::size_t row, std::size_t) {
    context_.check_cancelled();
    thread_local std::vector<Neighbour> all;
    all.clear();
    for (std::size_t other = 0; other < rows; ++other) {
      if (other != row) all.push_back({static_cast<std::uint32_t>(other), direct(row, other)});
    }
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k), all.end(), nearer);
    std::copy_n(all.begin(), k, result.neighbours.begin() + static_cast<std::ptrdiff_t>(row * k));
  });
  return result;
}

}  // namespace markeval::geometry::cpu
