// Inside the metric tests: the rows several columns share, ready to be resampled, and the two ways of doing
// it. Used by metric_significance.cpp and judged_pairs.cpp only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/run_context.hpp"
#include "meta/coefficient.hpp"
#include "meta/metric_significance.hpp"

namespace markeval::meta::detail {

/// Complete rows, group after group.
struct ResamplingBatch {
  std::size_t table_rows = 0;
  std::vector<std::uint32_t> row;   ///< its row in the table
  std::vector<std::size_t> starts;  ///< group g holds positions [starts[g], starts[g + 1])
  std::vector<double> gold;
  std::vector<std::vector<double>> columns;  ///< standardised over all positions

  std::size_t size() const { return row.size(); }
  std::size_t groups() const { return starts.size() - 1; }
  std::span<const double> group_of(const std::vector<double>& values, std::size_t group) const {
    return std::span(values).subspan(starts[group], starts[group + 1] - starts[group]);
  }
};

struct Resampling {
  Coefficient coefficient = Coefficient::pearson;
  CoefficientOptions options;
  std::size_t resamples = 0;
  std::uint64_t seed = 0;
};

/// How often exchanged scores gave a difference as large as the observed one.
struct PermutationHits {
  std::uint64_t greater = 0;    ///< difference >= observed
  std::uint64_t two_sided = 0;  ///< |difference| >= |observed|
  std::uint64_t counted = 0;    ///< resamples with a value for both

  PermutationHits& operator+=(const PermutationHits& other);
};

/// Differences closer than this are equal: rounding may not decide.
inline constexpr double kDifferenceTolerance = 1e-12;

void count_hit(double difference, double observed, PermutationHits& hits);

/// One bit per row of the table: resample `index`'s coin flips.
void flip_coins(std::uint64_t seed, std::uint64_t index, std::size_t rows, std::vector<std::uint64_t>& words);
inline bool is_set(const std::vector<std::uint64_t>& words, std::uint32_t row) {
  return ((words[row >> 6] >> (row & 63)) & 1) != 0;
}

/// Positions drawn with replacement inside each group.
void draw_rows(std::uint64_t seed, std::uint64_t index, std::span<const std::size_t> starts,
               std::vector<std::uint32_t>& positions);

/// Runs `body(resample, worker)` for all resamples, telling progress and minding a stop in between.
void for_each_resample(std::size_t resamples, const char* stage, const RunContext& context,
                       FunctionRef<void(std::size_t resample, std::size_t worker)> body);

/// All pairs (i, j), i < j, of the batch's columns in lexicographic order.
std::vector<PermutationHits> permute_pearson(const ResamplingBatch& batch, const Resampling& resampling,
                                             const RunContext& context);
std::vector<PermutationHits> permute_any(const ResamplingBatch& batch, const Resampling& resampling,
                                         const RunContext& context);

/// Mean over groups of every column in every resample: [resample * columns + column].
std::vector<std::optional<double>> bootstrap_pearson(const ResamplingBatch& batch,
                                                     const Resampling& resampling, const RunContext& context);
std::vector<std::optional<double>> bootstrap_any(const ResamplingBatch& batch, const Resampling& resampling,
                                                 const RunContext& context);

/// The p-values and the interval of columns a and b. `values`: [resample * columns + column].
void fill_bootstrap(std::span<const std::optional<double>> values, std::size_t columns, std::size_t a,
                    std::size_t b, double interval, MetricDifference& result);
/// Adjusts the p-values of one group's pairs.
void adjust_group(std::span<MetricDifference> differences, Correction correction);

}  // namespace markeval::meta::detail
