// Given pairs are counted one by one; pairs of rows through a Fenwick tree.
#include "meta/kendall_like.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "meta/values.hpp"

namespace markeval::meta {
namespace {

/// How many of the values put in so far are below a given one (Fenwick 1994).
class RankCounter {
 public:
  explicit RankCounter(std::uint32_t classes) : sums_(std::size_t{classes} + 1) {}
  void add(std::uint32_t value) {
    for (std::size_t at = std::size_t{value} + 1; at < sums_.size(); at += at & (~at + 1)) ++sums_[at];
  }
  std::uint64_t below(std::uint32_t value) const {
    std::uint64_t count = 0;
    for (std::size_t at = value; at > 0; at &= at - 1) count += sums_[at];
    return count;
  }

 private:
  std::vector<std::uint64_t> sums_;
};

}  // namespace

std::optional<double> BetterWorseCounts::coefficient() const {
  if (concordant + discordant == 0) return std::nullopt;
  return (static_cast<double>(concordant) - static_cast<double>(discordant)) /
         static_cast<double>(concordant + discordant);
}

BetterWorseCounts count_better_worse(std::span<const double> better, std::span<const double> worse) {
  if (better.size() != worse.size()) throw_invalid("the better and the worse sides differ in length");
  require_finite(better, "better");
  require_finite(worse, "worse");
  BetterWorseCounts counts;
  for (std::size_t i = 0; i < better.size(); ++i) {
    ++(better[i] > worse[i] ? counts.concordant : counts.discordant);
  }
  return counts;
}

BetterWorseCounts count_better_worse_rows(std::span<const double> gold, std::span<const double> predicted,
                                          double threshold) {
  require_pairs(gold, predicted);
  if (!(threshold >= 0)) throw_invalid("the gold threshold must be 0 or more");
  std::vector<std::uint32_t> order(gold.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, [&](auto a, auto b) { return gold[a] < gold[b]; });
  const DenseRanks ranks = dense_ranks(predicted);
  RankCounter seen(ranks.classes);
  BetterWorseCounts counts;
  std::uint64_t judged = 0;
  std::size_t clearly_worse = 0;  // rows of `order` far enough below the current one and inside `seen`
  std::size_t far_enough = 0;     // the same, equal gold values included
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double value = gold[order[i]];
    while (far_enough < i && value - gold[order[far_enough]] >= threshold) ++far_enough;
    for (; clearly_worse < far_enough && gold[order[clearly_worse]] < value; ++clearly_worse) {
      seen.add(ranks.rank[order[clearly_worse]]);
    }
    judged += far_enough;
    counts.concordant += seen.below(ranks.rank[order[i]]);
  }
  counts.discordant = judged - counts.concordant;
  return counts;
}

}  // namespace markeval::meta
