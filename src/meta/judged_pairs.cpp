// Pairs are counted per source segment, so that a resample only adds counts.
#include "meta/judged_pairs.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>

#include "base/error.hpp"
#include "base/random.hpp"
#include "meta/kendall_like.hpp"
#include "meta/quantile.hpp"
#include "meta/resampling_batch.hpp"
#include "meta/resampling_budget.hpp"

namespace markeval::meta {
namespace {

BetterWorseCounts& operator+=(BetterWorseCounts& sum, const BetterWorseCounts& other) {
  sum.concordant += other.concordant;
  sum.discordant += other.discordant;
  return sum;
}

/// Pairs of a group by source segment, groups and segments in order of first appearance.
struct PairGroups {
  std::vector<std::string> names;
  std::vector<std::vector<std::vector<std::size_t>>> segments;  ///< by group and segment: pairs
};

PairGroups group_pairs(const JudgedPairs& pairs) {
  PairGroups found;
  std::unordered_map<std::string, std::size_t> groups;
  std::vector<std::unordered_map<std::string, std::size_t>> segments;
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    const std::string& name = pairs.group.empty() ? kAllRows : pairs.group[pair];
    const auto [group, new_group] = groups.emplace(name, found.names.size());
    if (new_group) {
      found.names.push_back(name);
      found.segments.emplace_back();
      segments.emplace_back();
    }
    auto& of_group = found.segments[group->second];
    const std::string source = pairs.segment.empty() ? std::to_string(pair) : pairs.segment[pair];
    const auto [segment, new_segment] = segments[group->second].emplace(source, of_group.size());
    if (new_segment) of_group.emplace_back();
    of_group[segment->second].push_back(pair);
  }
  return found;
}

/// What one column says of the pairs of every segment.
struct ColumnCounts {
  std::vector<std::vector<BetterWorseCounts>> segments;  ///< by group
  std::vector<std::size_t> missing;                      ///< by group: pairs without both scores
};

/// `with`: columns whose scores must be there too.
ColumnCounts count_column(const ScoreTable& table, const JudgedPairs& pairs, const PairGroups& groups,
                          std::size_t column, std::span<const std::size_t> with) {
  const auto scored = [&](std::size_t pair) {
    return std::ranges::all_of(with, [&](std::size_t one) {
      const Values& values = table.predicted[one].values;
      return values[pairs.better[pair]].has_value() && values[pairs.worse[pair]].has_value();
    });
  };
  ColumnCounts counts;
  for (const auto& segments : groups.segments) {
    auto& of_group = counts.segments.emplace_back();
    std::size_t& missing = counts.missing.emplace_back();
    for (const std::vector<std::size_t>& segment : segments) {
      std::vector<double> better, worse;
      for (const std::size_t pair : segment) {
        if (!scored(pair)) {
          ++missing;
          continue;
        }
        better.push_back(*table.predicted[column].values[pairs.better[pair]]);
        worse.push_back(*table.predicted[column].values[pairs.worse[pair]]);
      }
      of_group.push_back(count_better_worse(better, worse));
    }
  }
  return counts;
}

/// The coefficient of every group, then that of all pairs.
std::vector<std::optional<double>> values_of(const ColumnCounts& counts,
                                             std::span<const std::vector<std::uint32_t>> drawn) {
  std::vector<std::optional<double>> values;
  BetterWorseCounts all;
  for (std::size_t group = 0; group < counts.segments.size(); ++group) {
    BetterWorseCounts sum;
    if (drawn.empty()) {
      for (const BetterWorseCounts& segment : counts.segments[group]) sum += segment;
    } else {
      for (const std::uint32_t segment : drawn[group]) sum += counts.segments[group][segment];
    }
    values.push_back(sum.coefficient());
    all += sum;
  }
  values.push_back(all.coefficient());
  return values;
}

/// Segments drawn with replacement inside each group.
std::vector<std::vector<std::uint32_t>> draw_segments(const PairGroups& groups, std::uint64_t seed,
                                                      std::size_t resample) {
  RandomStream random(seed, resample);
  std::vector<std::vector<std::uint32_t>> drawn;
  for (const auto& segments : groups.segments) {
    auto& of_group = drawn.emplace_back(segments.size());
    for (std::uint32_t& one : of_group) one = static_cast<std::uint32_t>(random.below(segments.size()));
  }
  return drawn;
}

/// By resample, column and group: as values_of().
std::vector<std::vector<std::vector<std::optional<double>>>> resample_columns(
    std::span<const ColumnCounts> columns, const PairGroups& groups, std::size_t resamples,
    std::uint64_t seed, const RunContext& context) {
  std::vector<std::vector<std::vector<std::optional<double>>>> found(resamples);
  detail::for_each_resample(resamples, "bootstrap", context, [&](std::size_t resample, std::size_t) {
    const auto drawn = draw_segments(groups, seed, resample);
    for (const ColumnCounts& column : columns) found[resample].push_back(values_of(column, drawn));
  });
  return found;
}

void require_rows(const ScoreTable& table, const JudgedPairs& pairs) {
  validate(table);
  if (pairs.size() == 0) throw_invalid("no better/worse pair");
  for (const auto* rows : {&pairs.better, &pairs.worse}) {
    for (const std::uint32_t row : *rows) {
      if (row >= table.rows()) throw_invalid("a better/worse pair names a row the table has not got");
    }
  }
}

}  // namespace

std::vector<CorrelationRow> correlate_pairs(const ScoreTable& table, const JudgedPairs& pairs,
                                            std::size_t resamples, std::uint64_t seed,
                                            const RunContext& context) {
  require_rows(table, pairs);
  const PairGroups groups = group_pairs(pairs);
  std::vector<ColumnCounts> columns;
  for (std::size_t column = 0; column < table.predicted.size(); ++column)
    columns.push_back(count_column(table, pairs, groups, column, std::array{column}));
  require_resampled(resamples, columns.size() * (groups.names.size() + 1),
                    "--ci N with a smaller N needs less");
  const auto resampled = resample_columns(columns, groups, resamples, seed, context);
  std::vector<CorrelationRow> rows;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const auto values = values_of(columns[column], {});
    std::size_t all = 0, all_missing = 0, averaged = 0;
    for (std::size_t group = 0; group <= groups.names.size(); ++group) {
      const bool is_mean = group == groups.names.size();
      if (is_mean && pairs.group.empty()) break;
      CorrelationRow& row = rows.emplace_back();
      row.predicted = table.predicted[column].name;
      row.values = {values[group]};
      if (is_mean) {
        row.group = kMeanRow;
        row.n = all;
        row.missing = all_missing;
        row.averaged = {averaged};
      } else {
        row.group = groups.names[group];
        row.missing = columns[column].missing[group];
        for (const auto& segment : groups.segments[group]) row.n += segment.size();
        row.n -= row.missing;
        all += row.n;
        all_missing += row.missing;
        averaged += values[group] ? 1 : 0;
      }
      if (resamples == 0) continue;
      std::vector<double> spread;
      for (const auto& one : resampled) {
        if (const auto& value = one[column][group]) spread.push_back(*value);
      }
      row.intervals.push_back(interval_of_resamples(std::move(spread), resamples));
    }
  }
  return rows;
}

std::vector<MetricDifference> compare_on_pairs(const ScoreTable& table, const JudgedPairs& pairs,
                                               const MetricTestOptions& options, const RunContext& context) {
  require_rows(table, pairs);
  const PairGroups groups = group_pairs(pairs);
  const std::size_t count = table.predicted.size();
  constexpr std::string_view kAdvice = "--resamples N with a smaller N needs less";
  require_resampled(options.resamples, 2 * (groups.names.size() + 1), kAdvice);
  require_pair_differences(options.resamples, count * (count - 1) / 2, kAdvice);
  std::vector<MetricDifference> results;
  for (std::size_t a = 0; a < table.predicted.size(); ++a) {
    for (std::size_t b = a + 1; b < table.predicted.size(); ++b) {
      const std::array both{a, b};
      const std::array columns{count_column(table, pairs, groups, a, both),
                               count_column(table, pairs, groups, b, both)};
      MetricDifference& result = results.emplace_back();
      result.first = a;
      result.second = b;
      result.group = pairs.group.empty() ? kAllRows : kMeanRow;
      result.n = pairs.size();
      for (const std::size_t missing : columns[0].missing) result.n -= missing;
      result.first_value = values_of(columns[0], {}).back();
      result.second_value = values_of(columns[1], {}).back();
      if (!result.first_value || !result.second_value) continue;
      result.difference = *result.first_value - *result.second_value;
      std::vector<std::optional<double>> values;
      for (const auto& one : resample_columns(columns, groups, options.resamples, options.seed, context))
        values.insert(values.end(), {one[0].back(), one[1].back()});
      detail::fill_bootstrap(values, 2, 0, 1, options.interval, result);
    }
  }
  detail::adjust_group(results, options.correction);
  return results;
}

}  // namespace markeval::meta
