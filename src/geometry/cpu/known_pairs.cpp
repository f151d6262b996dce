// When subsets of two sets are compared by lists of the whole sets, and how the lists are found. They cost
// about as much as a few comparisons of the whole sets, so they are made once the subsets have cost that
// much.
#include <atomic>
#include <cmath>

#include "geometry/cpu/cpu_set_engine.hpp"
#include "geometry/direct_distance.hpp"

namespace markeval::geometry::cpu {
namespace {

constexpr double kSmallestShare = 0.2;       ///< of the rows: smaller subsets need lists that are too deep
constexpr double kWorthLists = 1;            ///< comparisons of the whole sets that subsets have cost
constexpr std::size_t kMostNearPairs = 128;  ///< on average for a row; more are no lists any more
constexpr std::size_t kMostEntries = std::size_t{1} << 26;

}  // namespace

bool CpuSetEngine::know_pairs(CpuSet& reference, CpuSet& evaluated, std::size_t k,
                              const RunContext& context) {
  reference.by_lists = evaluated.by_lists = false;
  if (!reference.parent || !evaluated.parent || *reference.parent == *evaluated.parent) return false;
  CpuSet* const parents[] = {&sets_.at(*reference.parent), &sets_.at(*evaluated.parent)};
  const double shares[] = {share_of(reference.rows, parents[0]->rows),
                           share_of(evaluated.rows, parents[1]->rows)};
  KnownPairs& known = known_[{*reference.parent, *evaluated.parent}];
  if (known.too_many || std::min(shares[0], shares[1]) < kSmallestShare) return false;
  known.compared += shares[0] * shares[1];
  bool deep = true;
  for (std::size_t i = 0; i < 2; ++i)
    deep = deep && parents[i]->deep.k >= std::min(deep_enough(k, shares[i]), parents[i]->rows - 1);
  if (!known.lists || !deep) {
    if (known.compared < kWorthLists) return false;
    std::size_t entries = 0;
    for (std::size_t i = 0; i < 2; ++i) entries += parents[i]->rows * deep_enough(k, shares[i]);
    const RunContext silent{context.pool};
    PairWork work("", 0, silent);
    for (std::size_t i = 0; i < 2 && entries <= kMostEntries; ++i) {
      const std::size_t depth = std::min(deep_enough(k, shares[i]), parents[i]->rows - 1);
      if (parents[i]->deep.k < depth)
        parents[i]->deep = find_neighbours(*parents[i], {0, parents[i]->rows}, depth, work).lists;
    }
    known.lists =
        entries <= kMostEntries ? find_cross_lists(*parents[0], *parents[1], context) : std::nullopt;
    known.too_many = !known.lists;
    if (known.too_many) return false;
  }
  reference.by_lists = evaluated.by_lists = true;
  return true;
}

const CrossLists* CpuSetEngine::cross_lists(const CpuSet& reference, const CpuSet& evaluated) const {
  if (!reference.by_lists || !evaluated.by_lists) return nullptr;
  const auto known = known_.find({*reference.parent, *evaluated.parent});
  return known != known_.end() && known->second.lists ? &*known->second.lists : nullptr;
}

std::optional<CrossLists> CpuSetEngine::find_cross_lists(CpuSet& reference, CpuSet& evaluated,
                                                         const RunContext& context) {
  const std::vector<double> reference_reach = reference.deep.squared_radii(reference.deep.k);
  const std::vector<double> evaluated_reach = evaluated.deep.squared_radii(evaluated.deep.k);
  const PairFilter* const filter = way_through({reference, evaluated}, reference.deep.k, context);
  const DirectDistance direct(points_of(reference), points_of(evaluated));
  const std::size_t blocks = blocks_of(reference.rows),
                    most = kMostNearPairs * (reference.rows + evaluated.rows);
  std::vector<std::vector<NearPair>> near(blocks);
  std::atomic<std::size_t> found{0};
  const auto measure = [&](std::uint32_t r, std::uint32_t e, std::vector<NearPair>& out) {
    const double squared = direct(r, e);
    if (squared <= std::max(reference_reach[r], evaluated_reach[e])) out.push_back({r, e, squared});
  };
  const auto in_units = [&](const std::vector<double>& squares) {
    std::vector<float> reach(squares.size());
    for (std::size_t i = 0; i < reach.size(); ++i)
      reach[i] = static_cast<float>(std::sqrt(squares[i]) * filter->unit() * (1 + 1e-6));
    return reach;
  };
  std::vector<float> reference_units, evaluated_units;
  if (filter != nullptr) {
    reference_units = in_units(reference_reach);
    evaluated_units = in_units(evaluated_reach);
  }
  auto* const scratches = filter != nullptr ? &scratch(context) : nullptr;  // megabytes for each thread
  context.pool.for_each(blocks, [&](std::size_t block, std::size_t worker) {
    const std::size_t end = std::min(reference.rows, (block + 1) * kBlockRows);
    for (std::size_t other = 0; other < blocks_of(evaluated.rows) && found <= most; ++other) {
      context.check_cancelled();
      const std::size_t before = near[block].size();
      if (filter != nullptr) {
        const Tile tile = block_tile(block, other, reference.rows, evaluated.rows);
        for (const FilteredPair& pair :
             filter->select(*reference.coded, *evaluated.coded, tile, reference_units, evaluated_units,
                            (*scratches)[worker]))
          measure(pair.query, pair.base, near[block]);
      } else {
        const std::size_t last = std::min(evaluated.rows, (other + 1) * kBlockRows);
        for (std::size_t r = block * kBlockRows; r < end; ++r) {
          for (std::size_t e = other * kBlockRows; e < last; ++e)
            measure(static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(e), near[block]);
        }
      }
      found += near[block].size() - before;
    }
  });
  if (found > most) return std::nullopt;
  return make_cross_lists(near, reference.deep, evaluated.deep, context);
}

}  // namespace markeval::geometry::cpu
