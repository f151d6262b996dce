// Resampling any coefficient, pair of columns by pair of columns. Coefficients of order alone work on class
// numbers given out once, so a resample needs no comparison sort.
#include <algorithm>
#include <array>

#include "meta/correlation.hpp"
#include "meta/kendall.hpp"
#include "meta/resampling_batch.hpp"
#include "meta/values.hpp"

namespace markeval::meta::detail {
namespace {

bool needs_only_order(Coefficient coefficient) {
  return coefficient == Coefficient::spearman || coefficient == Coefficient::kendall ||
         coefficient == Coefficient::kendall_c;
}

/// Values of several columns as classes comparable between the columns, group by group.
struct Classes {
  std::vector<std::vector<std::uint32_t>> columns;
  std::vector<std::uint32_t> count;  // per group
};

Classes common_classes(const ResamplingBatch& batch, std::span<const std::vector<double>* const> columns) {
  Classes result;
  result.columns.assign(columns.size(), std::vector<std::uint32_t>(batch.size()));
  std::vector<double> values;
  for (std::size_t g = 0; g < batch.groups(); ++g) {
    values.clear();
    for (const auto* column : columns) {
      const auto part = batch.group_of(*column, g);
      values.insert(values.end(), part.begin(), part.end());
    }
    const DenseRanks ranks = dense_ranks(values);
    const std::size_t rows = batch.starts[g + 1] - batch.starts[g];
    for (std::size_t c = 0; c < columns.size(); ++c) {
      std::copy_n(ranks.rank.begin() + static_cast<std::ptrdiff_t>(c * rows), rows,
                  result.columns[c].begin() + static_cast<std::ptrdiff_t>(batch.starts[g]));
    }
    result.count.push_back(ranks.classes);
  }
  return result;
}

std::uint32_t distinct(std::span<const std::uint32_t> values, std::uint32_t classes,
                       std::vector<char>& seen) {
  seen.assign(classes, 0);
  std::uint32_t count = 0;
  for (const std::uint32_t value : values) {
    count += seen[value] == 0 ? 1u : 0u;
    seen[value] = 1;
  }
  return count;
}

/// Evaluates resampled rows; one per worker.
class RankEvaluator {
 public:
  RankEvaluator(const Resampling& resampling, std::span<const std::size_t> starts)
      : resampling_(resampling), starts_(starts) {}

  std::optional<double> of_classes(std::span<const std::uint32_t> gold,
                                   std::span<const std::uint32_t> gold_classes,
                                   std::span<const std::uint32_t> predicted,
                                   std::span<const std::uint32_t> predicted_classes) {
    MeanOfPresent mean;
    for (std::size_t g = 0; g + 1 < starts_.size(); ++g) {
      const std::size_t rows = starts_[g + 1] - starts_[g];
      mean.add(of_group(gold.subspan(starts_[g], rows), gold_classes[g], predicted.subspan(starts_[g], rows),
                        predicted_classes[g]));
    }
    return mean.value();
  }

  std::optional<double> of_values(std::span<const double> gold, std::span<const double> predicted) {
    groups_.resize(starts_.size() - 1);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const std::size_t rows = starts_[g + 1] - starts_[g];
      const auto part = [&](std::span<const double> values) { return values.subspan(starts_[g], rows); };
      groups_[g].gold.assign(part(gold).begin(), part(gold).end());
      groups_[g].predicted.assign(part(predicted).begin(), part(predicted).end());
    }
    return grouped_coefficient(resampling_.coefficient, groups_, resampling_.options).mean;
  }

 private:
  std::optional<double> of_group(std::span<const std::uint32_t> gold, std::uint32_t gold_classes,
                                 std::span<const std::uint32_t> predicted, std::uint32_t predicted_classes) {
    if (resampling_.coefficient == Coefficient::spearman) {
      return spearman_(gold, gold_classes, predicted, predicted_classes);
    }
    const PairCounts counts = counter_(gold, gold_classes, predicted, predicted_classes);
    if (resampling_.coefficient == Coefficient::kendall) return kendall_tau_b(counts);
    const std::uint32_t gold_distinct = distinct(gold, gold_classes, seen_);
    return kendall_tau_c(counts, gold.size(),
                         std::min(gold_distinct, distinct(predicted, predicted_classes, seen_)));
  }

  const Resampling& resampling_;
  std::span<const std::size_t> starts_;
  SpearmanOfClasses spearman_;
  PairCounter counter_;
  std::vector<char> seen_;
  std::vector<Pairs> groups_;
};

template <typename T>
struct Exchanged {
  std::vector<T> first, second;

  void fill(const std::vector<T>& a, const std::vector<T>& b, const ResamplingBatch& batch,
            const std::vector<std::uint64_t>& coins) {
    first.resize(a.size());
    second.resize(a.size());
    for (std::size_t p = 0; p < a.size(); ++p) {
      const bool swap = is_set(coins, batch.row[p]);
      first[p] = swap ? b[p] : a[p];
      second[p] = swap ? a[p] : b[p];
    }
  }
};

struct RankWorker {
  explicit RankWorker(const RankEvaluator& prepared) : evaluator(prepared) {}
  RankEvaluator evaluator;
  std::vector<std::uint64_t> coins;
  std::vector<std::uint32_t> positions;
  Exchanged<std::uint32_t> classes;
  Exchanged<double> values;
  PermutationHits hits;
};

/// The permutation test of one pair.
class PairPermutation {
 public:
  PairPermutation(const ResamplingBatch& batch, const Resampling& resampling, std::size_t a, std::size_t b)
      : batch_(batch), resampling_(resampling), a_(batch.columns[a]), b_(batch.columns[b]) {
    if (!needs_only_order(resampling.coefficient)) return;
    const std::array<const std::vector<double>*, 2> both{&a_, &b_};
    const std::array<const std::vector<double>*, 1> gold{&batch.gold};
    classes_ = common_classes(batch, both);
    gold_ = common_classes(batch, gold);
  }

  std::optional<double> difference(RankWorker& worker) const {
    std::optional<double> first, second;
    if (needs_only_order(resampling_.coefficient)) {
      worker.classes.fill(classes_.columns[0], classes_.columns[1], batch_, worker.coins);
      const auto value = [&](const auto& predicted) {
        return worker.evaluator.of_classes(gold_.columns[0], gold_.count, predicted, classes_.count);
      };
      first = value(worker.classes.first);
      second = value(worker.classes.second);
    } else {
      worker.values.fill(a_, b_, batch_, worker.coins);
      first = worker.evaluator.of_values(batch_.gold, worker.values.first);
      second = worker.evaluator.of_values(batch_.gold, worker.values.second);
    }
    if (!first || !second) return std::nullopt;
    return *first - *second;
  }

 private:
  const ResamplingBatch& batch_;
  const Resampling& resampling_;
  const std::vector<double>& a_;
  const std::vector<double>& b_;
  Classes classes_, gold_;
};

}  // namespace

std::vector<PermutationHits> permute_any(const ResamplingBatch& batch, const Resampling& resampling,
                                         const RunContext& context) {
  std::vector<PermutationHits> result;
  std::vector<RankWorker> workers(context.pool.size(), RankWorker(RankEvaluator(resampling, batch.starts)));
  for (std::size_t a = 0; a < batch.columns.size(); ++a) {
    for (std::size_t b = a + 1; b < batch.columns.size(); ++b) {
      const PairPermutation pair(batch, resampling, a, b);
      for (RankWorker& worker : workers) worker.hits = {};
      workers[0].coins.assign((batch.table_rows + 63) / 64, 0);
      const std::optional<double> observed = pair.difference(workers[0]);
      PermutationHits& total = result.emplace_back();
      if (!observed) continue;
      for_each_resample(resampling.resamples, "permutations", context,
                        [&](std::size_t index, std::size_t number) {
                          RankWorker& worker = workers[number];
                          flip_coins(resampling.seed, index, batch.table_rows, worker.coins);
                          const std::optional<double> delta = pair.difference(worker);
                          if (delta) count_hit(*delta, *observed, worker.hits);
                        });
      for (const RankWorker& worker : workers) total += worker.hits;
    }
  }
  return result;
}

std::vector<std::optional<double>> bootstrap_any(const ResamplingBatch& batch, const Resampling& resampling,
                                                 const RunContext& context) {
  const std::size_t columns = batch.columns.size();
  std::vector<Classes> classes;
  for (std::size_t c = 0; c <= columns; ++c) {  // the last one is gold
    const std::array<const std::vector<double>*, 1> one{c < columns ? &batch.columns[c] : &batch.gold};
    classes.push_back(common_classes(batch, one));
  }
  std::vector<std::optional<double>> values(resampling.resamples * columns);
  std::vector<RankWorker> workers(context.pool.size(), RankWorker(RankEvaluator(resampling, batch.starts)));
  for_each_resample(resampling.resamples, "bootstrap", context, [&](std::size_t index, std::size_t number) {
    RankWorker& worker = workers[number];
    draw_rows(resampling.seed, index, batch.starts, worker.positions);
    const auto gather = [&](const auto& from, auto& to) {
      to.resize(worker.positions.size());
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[worker.positions[i]];
    };
    const bool order_only = needs_only_order(resampling.coefficient);
    if (order_only) {
      gather(classes[columns].columns[0], worker.classes.first);
    } else {
      gather(batch.gold, worker.values.first);
    }
    for (std::size_t c = 0; c < columns; ++c) {
      std::optional<double>& value = values[index * columns + c];
      if (order_only) {
        gather(classes[c].columns[0], worker.classes.second);
        value = worker.evaluator.of_classes(worker.classes.first, classes[columns].count,
                                            worker.classes.second, classes[c].count);
      } else {
        gather(batch.columns[c], worker.values.second);
        value = worker.evaluator.of_values(worker.values.first, worker.values.second);
      }
    }
  });
  return values;
}

}  // namespace markeval::meta::detail
