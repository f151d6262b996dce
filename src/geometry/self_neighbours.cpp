// The nearest neighbours inside one set: every pair of rows is looked at once and serves both of them.
#include <algorithm>
#include <bit>

#include "geometry/candidate_lists.hpp"
#include "geometry/scan.hpp"

namespace markeval::geometry {
namespace {

// Of a block that meets itself: whole panels of every kernel but AMX's, for which every second part is packed
// again. Measured on Neoverse-N1: 96 rows take 1 % longer, whole blocks 4 to 8 %.
constexpr std::size_t kPartRows = 48;
static_assert(kBlockRows % kPartRows == 0);

}  // namespace

NeighbourLists scan_neighbours(Points points, std::size_t set, const PairFilter& filter, std::size_t k,
                               ScanWorkers& workers, ScanProgress& progress, FilterStatistics& statistics,
                               const RunContext& context) {
  const std::size_t rows = points.rows();
  const std::size_t blocks = (rows + kBlockRows - 1) / kBlockRows;
  CandidateLists lists(points, k, filter.unit());
  const auto visit = [&](const compute::Tile& tile, std::size_t worker) {
    context.check_cancelled();
    const bool diagonal = tile.query_begin == tile.base_begin;  // each pair comes twice there
    for (const FilteredPair& pair :
         filter.select(set, set, tile, lists.reach(), lists.reach(), workers.scratch(worker))) {
      if (diagonal && pair.query >= pair.base) continue;
      lists.add(pair.query, pair.base, pair.lower, pair.upper);
      lists.add(pair.base, pair.query, pair.lower, pair.upper);
    }
  };
  const auto visit_blocks = [&](std::size_t first, std::size_t second, std::size_t worker) {
    const compute::Tile tile = block_tile(first, second, rows, rows);
    visit(tile, worker);
    progress.advance(tile.pairs());
  };
  // A block meets itself part by part: a few rows give everyone a reach, which leaves out most of the others.
  const auto visit_own = [&](std::size_t block, std::size_t worker) {
    const compute::Tile whole = block_tile(block, block, rows, rows);
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
    context.pool.for_each(blocks, [&](std::size_t block, std::size_t) {
      context.check_cancelled();
      for (std::size_t row = block * kBlockRows; row < std::min(rows, (block + 1) * kBlockRows); ++row) {
        lists.look_around(row, kWindow);
      }
    });
  }
  context.pool.for_each(blocks, visit_own);
  // Then a round-robin tournament: in every round each block meets one other at most, so the pairs of a round
  // share no block, can run at once without locks, and give the same result in any order. The filter's order
  // puts near rows into blocks whose numbers differ little: they meet first, and reaches fall early.
  for (std::size_t round = 1; round < std::bit_ceil(blocks); ++round) {
    context.pool.for_each(blocks, [&](std::size_t block, std::size_t worker) {
      const std::size_t other = block ^ round;
      if (block < other && other < blocks) visit_blocks(block, other, worker);
    });
  }

  NeighbourLists result;
  result.k = k;
  result.neighbours.resize(rows * k);
  context.pool.for_each(blocks, [&](std::size_t block, std::size_t) {
    context.check_cancelled();
    for (std::size_t row = block * kBlockRows; row < std::min(rows, (block + 1) * kBlockRows); ++row) {
      lists.finish(row, {result.neighbours.data() + row * k, k});
    }
  });
  statistics.pairs += static_cast<std::uint64_t>(rows) * (rows - 1) / 2;
  statistics.pairs_refined += lists.refined();
  return result;
}

NeighbourLists direct_neighbours(Points points, std::size_t k, FilterStatistics& statistics,
                                 const RunContext& context) {
  const std::size_t rows = points.rows();
  const DirectDistance direct(points, points);
  NeighbourLists result;
  result.k = k;
  result.neighbours.resize(rows * k);
  context.pool.for_each(rows, [&](std::size_t row, std::size_t) {
    context.check_cancelled();
    thread_local std::vector<Neighbour> all;
    all.clear();
    for (std::size_t other = 0; other < rows; ++other) {
      if (other != row) all.push_back({static_cast<std::uint32_t>(other), direct(row, other)});
    }
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k), all.end(),
                      [](const Neighbour& a, const Neighbour& b) {
                        return a.squared_distance != b.squared_distance
                                   ? a.squared_distance < b.squared_distance
                                   : a.row < b.row;
                      });
    std::copy_n(all.begin(), k, result.neighbours.begin() + static_cast<std::ptrdiff_t>(row * k));
  });
  const std::uint64_t pairs = static_cast<std::uint64_t>(rows) * (rows - 1) / 2;
  statistics.pairs += pairs;
  statistics.pairs_refined += pairs;
  return result;
}

}  // namespace markeval::geometry
