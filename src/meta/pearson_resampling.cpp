// Resampling Pearson's coefficient for all columns at once. The coefficient follows from sums over rows, sums
// are additive, and a resample is shared by all pairs: so each costs one pass over its rows for every column,
// and a pair of columns only a few operations on sums.
#include <algorithm>
#include <cmath>

#include "meta/resampling_batch.hpp"
#include "meta/values.hpp"

namespace markeval::meta::detail {
namespace {

/// Sums over the rows of one group: x, x^2, x*gold for one column; gold, gold^2 for the gold scores.
struct PearsonSums {
  double x = 0, squares = 0, products = 0;
};
struct GoldSums {
  double gold = 0, squares = 0;
};

/// Least variance of standardised values, relative to the mean square: below it is rounding, and the values
/// are constant.
constexpr double kConstant = 1e-12;

std::optional<double> correlation(const PearsonSums& column, const GoldSums& gold, double rows) {
  const double variance = column.squares - column.x * column.x / rows;
  const double gold_variance = gold.squares - gold.gold * gold.gold / rows;
  if (!(variance > kConstant * column.squares) || !(gold_variance > kConstant * gold.squares))
    return std::nullopt;
  const double covariance = column.products - column.x * gold.gold / rows;
  return std::clamp(covariance / std::sqrt(variance * gold_variance), -1.0, 1.0);
}

/// The terms of the sums, row after row: gold, gold^2, then x, x^2, x*gold of each column.
class Terms {
 public:
  explicit Terms(const ResamplingBatch& batch)
      : width_(2 + 3 * batch.columns.size()), terms_(batch.size() * width_) {
    for (std::size_t g = 0; g < batch.groups(); ++g) {
      // Pearson does not mind a shift of the gold scores of a group; around their mean the sums lose no
      // digits.
      const auto gold = batch.group_of(batch.gold, g);
      const std::vector<double> standardised = z_scores(gold);
      for (std::size_t i = 0; i < gold.size(); ++i) fill(batch, batch.starts[g] + i, standardised[i]);
    }
  }

  std::size_t width() const { return width_; }

  /// sums += terms of the positions.
  void add(std::span<const std::uint32_t> positions, std::span<double> sums) const {
    const double* terms = terms_.data();
    double* out = sums.data();
    std::size_t i = 0;
    for (; i + 4 <= positions.size(); i += 4) {
      const double* a = terms + positions[i] * width_;
      const double* b = terms + positions[i + 1] * width_;
      const double* c = terms + positions[i + 2] * width_;
      const double* d = terms + positions[i + 3] * width_;
      for (std::size_t w = 0; w < width_; ++w) out[w] += (a[w] + b[w]) + (c[w] + d[w]);
    }
    for (; i < positions.size(); ++i) {
      const double* a = terms + positions[i] * width_;
      for (std::size_t w = 0; w < width_; ++w) out[w] += a[w];
    }
  }

 private:
  void fill(const ResamplingBatch& batch, std::size_t position, double gold) {
    double* out = terms_.data() + position * width_;
    *out++ = gold;
    *out++ = gold * gold;
    for (const auto& column : batch.columns) {
      const double x = column[position];
      *out++ = x;
      *out++ = x * x;
      *out++ = x * gold;
    }
  }

  std::size_t width_;
  std::vector<double> terms_;
};

/// A view of one group's sums.
struct GroupSums {
  std::span<const double> sums;
  GoldSums gold() const { return {sums[0], sums[1]}; }
  PearsonSums column(std::size_t c) const { return {sums[2 + 3 * c], sums[3 + 3 * c], sums[4 + 3 * c]}; }
};

/// What column a becomes when the rows summed in `exchanged` take the values of column b.
PearsonSums exchange(const PearsonSums& all_a, const PearsonSums& exchanged_a,
                     const PearsonSums& exchanged_b) {
  return {all_a.x - exchanged_a.x + exchanged_b.x, all_a.squares - exchanged_a.squares + exchanged_b.squares,
          all_a.products - exchanged_a.products + exchanged_b.products};
}

struct PearsonWorker {
  std::vector<std::uint64_t> coins;
  std::vector<std::uint32_t> positions;
  std::vector<double> sums;  // group after group
  std::vector<PermutationHits> hits;
};

class PearsonPermutation {
 public:
  explicit PearsonPermutation(const ResamplingBatch& batch) : batch_(batch), terms_(batch) {
    all_.resize(batch.groups() * terms_.width());
    std::vector<std::uint32_t> positions;
    for (std::size_t g = 0; g < batch.groups(); ++g) {
      positions.clear();
      for (std::size_t p = batch.starts[g]; p < batch.starts[g + 1]; ++p) {
        positions.push_back(static_cast<std::uint32_t>(p));
      }
      terms_.add(positions, group_span(all_, g));
    }
    const std::vector<double> none(all_.size());
    for (std::size_t a = 0; a < batch.columns.size(); ++a) {
      for (std::size_t b = a + 1; b < batch.columns.size(); ++b) observed_.push_back(difference(a, b, none));
    }
  }

  std::size_t pairs() const { return observed_.size(); }

  void resample(const Resampling& resampling, std::size_t index, PearsonWorker& worker) const {
    flip_coins(resampling.seed, index, batch_.table_rows, worker.coins);
    worker.sums.assign(all_.size(), 0);
    for (std::size_t g = 0; g < batch_.groups(); ++g) {
      worker.positions.resize(batch_.starts[g + 1] - batch_.starts[g]);
      std::size_t count = 0;
      for (std::size_t p = batch_.starts[g]; p < batch_.starts[g + 1]; ++p) {
        worker.positions[count] = static_cast<std::uint32_t>(p);
        count += is_set(worker.coins, batch_.row[p]) ? 1u : 0u;
      }
      terms_.add(std::span(worker.positions).first(count), group_span(worker.sums, g));
    }
    std::size_t pair = 0;
    for (std::size_t a = 0; a < batch_.columns.size(); ++a) {
      for (std::size_t b = a + 1; b < batch_.columns.size(); ++b, ++pair) {
        const std::optional<double> delta = difference(a, b, worker.sums);
        if (delta && observed_[pair]) count_hit(*delta, *observed_[pair], worker.hits[pair]);
      }
    }
  }

 private:
  std::span<double> group_span(std::vector<double>& sums, std::size_t g) const {
    return std::span(sums).subspan(g * terms_.width(), terms_.width());
  }
  GroupSums group_sums(const std::vector<double>& sums, std::size_t g) const {
    return {std::span(sums).subspan(g * terms_.width(), terms_.width())};
  }

  /// coefficient of a - coefficient of b after exchanging the rows summed in `exchanged`.
  std::optional<double> difference(std::size_t a, std::size_t b, const std::vector<double>& exchanged) const {
    MeanOfPresent first, second;
    for (std::size_t g = 0; g < batch_.groups(); ++g) {
      const GroupSums all = group_sums(all_, g), moved = group_sums(exchanged, g);
      const double rows = static_cast<double>(batch_.starts[g + 1] - batch_.starts[g]);
      first.add(correlation(exchange(all.column(a), moved.column(a), moved.column(b)), all.gold(), rows));
      second.add(correlation(exchange(all.column(b), moved.column(b), moved.column(a)), all.gold(), rows));
    }
    if (!first.value() || !second.value()) return std::nullopt;
    return *first.value() - *second.value();
  }

  const ResamplingBatch& batch_;
  Terms terms_;
  std::vector<double> all_;
  std::vector<std::optional<double>> observed_;
};

}  // namespace

std::vector<PermutationHits> permute_pearson(const ResamplingBatch& batch, const Resampling& resampling,
                                             const RunContext& context) {
  const PearsonPermutation permutation(batch);
  std::vector<PearsonWorker> workers(context.pool.size());
  for (PearsonWorker& worker : workers) worker.hits.resize(permutation.pairs());
  for_each_resample(resampling.resamples, "permutations", context,
                    [&](std::size_t index, std::size_t worker) {
                      permutation.resample(resampling, index, workers[worker]);
                    });
  std::vector<PermutationHits> hits(permutation.pairs());
  for (const PearsonWorker& worker : workers) {
    for (std::size_t pair = 0; pair < hits.size(); ++pair) hits[pair] += worker.hits[pair];
  }
  return hits;
}

std::vector<std::optional<double>> bootstrap_pearson(const ResamplingBatch& batch,
                                                     const Resampling& resampling,
                                                     const RunContext& context) {
  const Terms terms(batch);
  const std::size_t columns = batch.columns.size();
  std::vector<std::optional<double>> values(resampling.resamples * columns);
  std::vector<PearsonWorker> workers(context.pool.size());
  for_each_resample(resampling.resamples, "bootstrap", context, [&](std::size_t index, std::size_t number) {
    PearsonWorker& worker = workers[number];
    draw_rows(resampling.seed, index, batch.starts, worker.positions);
    std::vector<MeanOfPresent> means(columns);
    for (std::size_t g = 0; g < batch.groups(); ++g) {
      worker.sums.assign(terms.width(), 0);
      const std::size_t rows = batch.starts[g + 1] - batch.starts[g];
      terms.add(std::span(worker.positions).subspan(batch.starts[g], rows), worker.sums);
      const GroupSums sums{worker.sums};
      for (std::size_t c = 0; c < columns; ++c) {
        means[c].add(correlation(sums.column(c), sums.gold(), static_cast<double>(rows)));
      }
    }
    for (std::size_t c = 0; c < columns; ++c) values[index * columns + c] = means[c].value();
  });
  return values;
}

}  // namespace markeval::meta::detail
