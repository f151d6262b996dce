// The three tests (Williams, bootstrap, permutation), run on the rows that both columns have.
#include "meta/metric_significance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "meta/quantile.hpp"
#include "meta/resampling_batch.hpp"
#include "meta/resampling_budget.hpp"
#include "meta/williams.hpp"
#include "meta/word_table.hpp"

namespace markeval::meta {
namespace {

double share_of_hits(std::uint64_t hits, std::uint64_t counted) {
  return (static_cast<double>(hits) + 1) / (static_cast<double>(counted) + 1);
}

}  // namespace

namespace detail {

void fill_bootstrap(std::span<const std::optional<double>> values, std::size_t columns, std::size_t a,
                    std::size_t b, double interval, MetricDifference& result) {
  std::vector<double> differences;
  for (std::size_t start = 0; start < values.size(); start += columns) {
    if (values[start + a] && values[start + b])
      differences.push_back(*values[start + a] - *values[start + b]);
  }
  result.resamples = differences.size();
  if (differences.empty()) return;
  const auto count_if = [&](auto condition) {
    return static_cast<std::uint64_t>(std::ranges::count_if(differences, condition));
  };
  const auto at_most_0 = count_if([](double d) { return d <= detail::kDifferenceTolerance; });
  const auto at_least_0 = count_if([](double d) { return d >= -detail::kDifferenceTolerance; });
  result.p_greater = share_of_hits(at_most_0, differences.size());
  result.p_value = std::min(1.0, 2 * share_of_hits(std::min(at_most_0, at_least_0), differences.size()));
  result.interval = central_of(std::move(differences), interval);
}

void adjust_group(std::span<MetricDifference> differences, Correction correction) {
  std::vector<std::optional<double>> p_values;
  for (const auto& difference : differences) p_values.push_back(difference.p_value);
  const auto adjusted = adjust(p_values, correction);
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i].p_adjusted = adjusted[i];
}

}  // namespace detail

namespace {

using detail::adjust_group;
using detail::fill_bootstrap;
using detail::PermutationHits;
using detail::Resampling;
using detail::ResamplingBatch;

constexpr WordTable<MetricTest, 3> kTestNames{{
    {MetricTest::williams, "williams"},
    {MetricTest::bootstrap, "bootstrap"},
    {MetricTest::perm_both, "perm-both"},
}};

/// The rows where gold and all of `columns` are present. Values as given: standardised later, where a test
/// asks for it.
ResamplingBatch complete_rows(const ScoreTable& table, const RowGroups& groups,
                              std::span<const std::size_t> columns) {
  ResamplingBatch batch;
  batch.table_rows = table.rows();
  batch.columns.resize(columns.size());
  batch.starts.push_back(0);
  for (const auto& rows : groups.rows) {
    for (const std::uint32_t row : rows) {
      const bool complete = table.gold[row].has_value() && std::ranges::all_of(columns, [&](std::size_t c) {
                              return table.predicted[c].values[row].has_value();
                            });
      if (!complete) continue;
      batch.row.push_back(row);
      batch.gold.push_back(*table.gold[row]);
      for (std::size_t i = 0; i < columns.size(); ++i) {
        batch.columns[i].push_back(*table.predicted[columns[i]].values[row]);
      }
    }
    batch.starts.push_back(batch.row.size());
  }
  return batch;
}

std::optional<double> mean_over_groups(const ResamplingBatch& batch, std::size_t column,
                                       const Resampling& resampling) {
  std::vector<Pairs> groups;
  for (std::size_t g = 0; g < batch.groups(); ++g) {
    const auto gold = batch.group_of(batch.gold, g), predicted = batch.group_of(batch.columns[column], g);
    groups.push_back({{gold.begin(), gold.end()}, {predicted.begin(), predicted.end()}, 0});
  }
  return grouped_coefficient(resampling.coefficient, groups, resampling.options).mean;
}

void fill_permutation(const PermutationHits& hits, MetricDifference& result) {
  result.resamples = hits.counted;
  if (hits.counted == 0) return;
  result.p_value = share_of_hits(hits.two_sided, hits.counted);
  result.p_greater = share_of_hits(hits.greater, hits.counted);
}

/// The rows of `batch` of one group alone.
std::optional<WilliamsResult> williams_of_group(const ResamplingBatch& batch, std::size_t g, std::size_t a,
                                                std::size_t b, Coefficient coefficient,
                                                MetricDifference& result) {
  const auto gold = batch.group_of(batch.gold, g);
  const auto first = batch.group_of(batch.columns[a], g), second = batch.group_of(batch.columns[b], g);
  result.n = gold.size();
  result.first_value = evaluate(coefficient, gold, first);
  result.second_value = evaluate(coefficient, gold, second);
  const std::optional<double> between = evaluate(coefficient, first, second);
  if (!result.first_value || !result.second_value || !between) return std::nullopt;
  result.difference = *result.first_value - *result.second_value;
  return williams_test(*result.first_value, *result.second_value, *between, gold.size());
}

/// Tests all pairs of `columns` (indices into the table) that share one batch of rows.
std::vector<MetricDifference> test_batch(const ScoreTable& table, const RowGroups& groups,
                                         std::span<const std::size_t> columns, MetricTest test,
                                         const Resampling& resampling, double interval,
                                         const RunContext& context) {
  std::vector<MetricDifference> results;
  ResamplingBatch batch = complete_rows(table, groups, columns);
  std::vector<std::optional<double>> observed;
  for (std::size_t c = 0; c < columns.size(); ++c) observed.push_back(mean_over_groups(batch, c, resampling));
  const bool pearson = resampling.coefficient == Coefficient::pearson;
  // Exchanging needs a common scale; the sums of Pearson's resampling are more exact on it. A bootstrap of
  // anything else leaves the values alone: a tie threshold is in the metric's own unit.
  if (pearson || test == MetricTest::perm_both) {
    for (auto& column : batch.columns) column = z_scores(column);
  }
  std::vector<PermutationHits> hits;
  std::vector<std::optional<double>> values;
  if (test == MetricTest::perm_both) {
    hits = pearson ? permute_pearson(batch, resampling, context) : permute_any(batch, resampling, context);
  } else {
    values =
        pearson ? bootstrap_pearson(batch, resampling, context) : bootstrap_any(batch, resampling, context);
  }
  std::size_t pair = 0;
  for (std::size_t a = 0; a < columns.size(); ++a) {
    for (std::size_t b = a + 1; b < columns.size(); ++b, ++pair) {
      context.check_cancelled();
      MetricDifference result;
      result.first = columns[a];
      result.second = columns[b];
      result.group = table.group.empty() ? kAllRows : kMeanRow;
      result.n = batch.size();
      result.first_value = observed[a];
      result.second_value = observed[b];
      if (observed[a] && observed[b]) {
        result.difference = *observed[a] - *observed[b];
        if (test == MetricTest::perm_both) fill_permutation(hits[pair], result);
        if (test == MetricTest::bootstrap) fill_bootstrap(values, columns.size(), a, b, interval, result);
      }
      results.push_back(std::move(result));
    }
  }
  return results;
}

/// Group after group, in each all pairs.
std::vector<MetricDifference> williams_of_groups(const ScoreTable& table, const RowGroups& groups,
                                                 Coefficient coefficient, Correction correction,
                                                 const RunContext& context) {
  const std::size_t columns = table.predicted.size(), pairs = columns * (columns - 1) / 2;
  std::vector<MetricDifference> results(groups.names.size() * pairs);
  std::size_t pair = 0;
  for (std::size_t a = 0; a < columns; ++a) {
    for (std::size_t b = a + 1; b < columns; ++b, ++pair) {
      context.check_cancelled();
      const ResamplingBatch batch = complete_rows(table, groups, std::array<std::size_t, 2>{a, b});
      for (std::size_t g = 0; g < groups.names.size(); ++g) {
        MetricDifference& result = results[g * pairs + pair];
        result.first = a;
        result.second = b;
        result.group = groups.names[g];
        const auto outcome = williams_of_group(batch, g, 0, 1, coefficient, result);
        if (!outcome) continue;
        result.p_value = outcome->p_value;
        result.p_greater = outcome->p_greater;
      }
    }
  }
  for (std::size_t g = 0; g < groups.names.size(); ++g)
    adjust_group(std::span(results).subspan(g * pairs, pairs), correction);
  return results;
}

bool same_rows_missing(const ScoreTable& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!table.gold[row]) continue;
    for (const PredictedColumn& column : table.predicted) {
      if (column.values[row].has_value() != table.predicted[0].values[row].has_value()) return false;
    }
  }
  return true;
}

}  // namespace

std::string_view name(MetricTest test) {
  return word_of(kTestNames, test);
}

MetricTest metric_test_named(std::string_view text) {
  return value_named(kTestNames, "test", text);
}

std::vector<MetricDifference> compare_metrics(const ScoreTable& table, Coefficient coefficient,
                                              MetricTest test, const MetricTestOptions& options,
                                              const RunContext& context) {
  validate(table);
  if (table.predicted.size() < 2) {
    throw_invalid(fmt::format("{} predicted column, a comparison needs two", table.predicted.size()));
  }
  const RowGroups groups = rows_by_group(table);
  if (test == MetricTest::williams) {
    if (coefficient != Coefficient::pearson && coefficient != Coefficient::spearman) {
      throw_usage(fmt::format("Williams' test is for pearson (or spearman), not for {}; use perm-both",
                              name(coefficient)));
    }
    return williams_of_groups(table, groups, coefficient, options.correction, context);
  }
  if (options.resamples == 0) throw_usage("0 resamples, expected at least 1");
  if (test == MetricTest::perm_both && coefficient == Coefficient::accuracy &&
      options.coefficient.tie_threshold) {
    throw_usage("perm-both standardises the scores, so a given tie threshold has no meaning: leave it out");
  }
  if (!(options.interval > 0 && options.interval < 1)) {
    throw_usage(fmt::format("an interval of {}, expected between 0 and 1", options.interval));
  }
  const Resampling resampling{coefficient, options.coefficient, options.resamples, options.seed};
  const std::size_t columns = table.predicted.size();
  constexpr std::string_view kAdvice = "--resamples N with a smaller N needs less";
  if (test == MetricTest::bootstrap) require_resampled(options.resamples, columns, kAdvice);
  require_pair_differences(options.resamples, columns * (columns - 1) / 2, kAdvice);
  std::vector<MetricDifference> results;
  if (same_rows_missing(table)) {
    std::vector<std::size_t> all(columns);
    std::iota(all.begin(), all.end(), std::size_t{0});
    results = test_batch(table, groups, all, test, resampling, options.interval, context);
  } else {
    for (std::size_t a = 0; a < columns; ++a) {
      for (std::size_t b = a + 1; b < columns; ++b) {
        const std::array<std::size_t, 2> both{a, b};
        results.push_back(
            test_batch(table, groups, both, test, resampling, options.interval, context).front());
      }
    }
  }
  adjust_group(results, options.correction);
  return results;
}

}  // namespace markeval::meta
