// The nearest neighbours inside one set: every pair of rows is looked at once and serves both of them.
//
// Two threads must never feed the list of one row. Blocks of rows meet in the rounds of a tournament, so that
// a block is in one pair of a round at most. What must hold besides: every pair of blocks meets once, and a
// row asks with the reach its list has at that moment (docs/background/exactness.md, step 8).
#include <algorithm>
#include <bit>

#include "base/per_thread.hpp"
#include "geometry/cpu/candidate_lists.hpp"
#include "geometry/cpu/cpu_set_engine.hpp"

namespace markeval::geometry::cpu {
namespace {

// Rows of a part when a block is compared with itself: whole panels of every kernel but AMX's, for which
// every second part is packed again. Measured on Neoverse-N1: 96 rows take 1 % longer, whole blocks 4 to 8 %.
constexpr std::size_t kPartRows = 48;
static_assert(kBlockRows % kPartRows == 0);

}  // namespace

NeighbourLists CpuSetEngine::neighbours(SetId id, RowRange range, std::size_t k, PairWork& work) {
  CpuSet& set = sets_.at(id);
  const bool whole = range.size() == set.rows;
  const std::uint64_t all = std::uint64_t{range.size()} * (set.rows - 1) / (whole ? 2 : 1);
  FoundNeighbours found;
  if (whole && set.found.lists.k == k) {  // from an earlier comparison
    found = set.found;
    work.advance(all);
  } else {
    found = find_neighbours(set, range, k, work);
    if (whole) set.found = found;
  }
  work.add(all, found.refined);
  return std::move(found.lists);
}

CpuSetEngine::FoundNeighbours CpuSetEngine::find_neighbours(CpuSet& set, RowRange range, std::size_t k,
                                                            PairWork& work) {
  FoundNeighbours found;
  if (set.by_lists) {
    CpuSet& parent = sets_.at(*set.parent);
    found.lists =
        subset_neighbours(points_of(parent), parent.deep, set.chosen, range, k, work.context, found.refined);
    return found;
  }
  if (set.coded || way_through({set, set}, k, work.context) != nullptr)
    return filtered_neighbours(set, range, k, work);
  found.lists = direct_neighbours(points_of(set), range, k, work.context);
  found.refined = std::uint64_t{range.size()} * (set.rows - 1) / (range.size() == set.rows ? 2 : 1);
  return found;
}

CpuSetEngine::FoundNeighbours CpuSetEngine::filtered_neighbours(const CpuSet& set, RowRange range,
                                                                std::size_t k, PairWork& work) {
  const RunContext& context = work.context;
  const CodedPoints& coded = *set.coded;
  const PairFilter& filter = *set.filter;
  const std::size_t rows = coded.rows();
  const std::size_t blocks = blocks_of(rows);
  CandidateLists lists(coded.points, range, k, filter.unit());
  auto& scratches = scratch(context);
  std::vector<bool> asks(blocks, false);  // a block with rows of the range
  for (std::size_t slot = 0; slot < rows; ++slot) {
    if (range.has(coded.order[slot])) asks[slot / kBlockRows] = true;
  }
  const auto visit = [&](const Tile& tile, std::size_t worker) {
    context.check_cancelled();
    const bool diagonal = tile.query_begin == tile.base_begin;  // each pair comes twice there
    for (const FilteredPair& pair :
         filter.select(coded, coded, tile, lists.reach(), lists.reach(), scratches[worker])) {
      if (diagonal && pair.query >= pair.base) continue;
      lists.add(pair.query, pair.base, pair.lower, pair.upper);
      lists.add(pair.base, pair.query, pair.lower, pair.upper);
    }
  };
  const auto visit_blocks = [&](std::size_t first, std::size_t second, std::size_t worker) {
    const Tile tile = block_tile(first, second, rows, rows);
    if (asks[first] || asks[second]) visit(tile, worker);
    work.advance(tile.pairs());
  };
  // A block meets itself part by part: a few rows give everyone a reach, which leaves out most of the others.
  const auto visit_own = [&](std::size_t block, std::size_t worker) {
    const Tile whole = block_tile(block, block, rows, rows);
    const std::size_t end = whole.query_end;
    for (std::size_t apart = 0; asks[block] && apart < kBlockRows; apart += kPartRows) {
      for (std::size_t query = whole.query_begin; query + apart < end; query += kPartRows) {
        const std::size_t base = query + apart;
        visit({query, std::min(end, query + kPartRows), base, std::min(end, base + kPartRows)}, worker);
      }
    }
    work.advance(whole.pairs());
  };
  const auto each_row = [&](auto visit_row) {
    context.pool.for_each(blocks_of(range.size()), [&](std::size_t block, std::size_t) {
      context.check_cancelled();
      const std::size_t begin = range.begin + block * kBlockRows;
      for (std::size_t row = begin; row < std::min(range.end, begin + kBlockRows); ++row) visit_row(row);
    });
  };
  // First where a near row may be: beside each row as the user gave them (of a subset, few are left there),
  // then within the filter's blocks.
  constexpr std::size_t kWindow = 16;
  if (filter.reordered() && !set.parent) each_row([&](std::size_t row) { lists.look_around(row, kWindow); });
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

  FoundNeighbours found;
  found.lists.k = k;
  found.lists.neighbours.resize(range.size() * k);
  each_row([&](std::size_t row) {
    lists.finish(row, {found.lists.neighbours.data() + (row - range.begin) * k, k});
  });
  found.refined = lists.refined();
  return found;
}

NeighbourLists CpuSetEngine::direct_neighbours(Points points, RowRange range, std::size_t k,
                                               const RunContext& context) {
  const std::size_t rows = points.rows();
  const DirectDistance direct(points, points);
  NeighbourLists result;
  result.k = k;
  result.neighbours.resize(range.size() * k);
  context.pool.for_each(range.size(), [&](std::size_t item, std::size_t) {
    context.check_cancelled();
    const std::size_t row = range.begin + item;
    thread_local PerThread<std::vector<Neighbour>> kept;
    std::vector<Neighbour>& all = *kept;
    all.clear();
    for (std::size_t other = 0; other < rows; ++other) {
      if (other != row) all.push_back({static_cast<std::uint32_t>(other), direct(row, other)});
    }
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k), all.end(), nearer);
    std::copy_n(all.begin(), k, result.neighbours.begin() + static_cast<std::ptrdiff_t>(item * k));
  });
  return result;
}

}  // namespace markeval::geometry::cpu
