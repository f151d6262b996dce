#include "meta/coefficient_intervals.hpp"

#include "base/random.hpp"
#include "meta/quantile.hpp"
#include "meta/resampling_budget.hpp"

namespace markeval::meta {
namespace {

/// Rows drawn with replacement inside each group; the groups keep their places and sizes.
ScoreTable resampled(const ScoreTable& table, const RowGroups& groups, RandomStream random) {
  ScoreTable out;
  out.gold.resize(table.rows());
  out.group = table.group;
  for (const PredictedColumn& column : table.predicted)
    out.predicted.push_back({column.name, Values(table.rows())});
  for (const std::vector<std::uint32_t>& rows : groups.rows) {
    for (const std::uint32_t place : rows) {
      const std::uint32_t drawn = rows[static_cast<std::size_t>(random.below(rows.size()))];
      out.gold[place] = table.gold[drawn];
      for (std::size_t c = 0; c < table.predicted.size(); ++c)
        out.predicted[c].values[place] = table.predicted[c].values[drawn];
    }
  }
  return out;
}

}  // namespace

bool has_intervals(Coefficient coefficient) {
  return coefficient != Coefficient::kendall_like && coefficient != Coefficient::accuracy;
}

std::vector<std::vector<std::optional<Interval>>> coefficient_intervals(
    const ScoreTable& table, std::span<const Coefficient> coefficients, const CoefficientOptions& options,
    std::size_t resamples, std::uint64_t seed, const RunContext& context) {
  std::vector<Coefficient> chosen;
  for (const Coefficient one : coefficients) {
    if (has_intervals(one)) chosen.push_back(one);
  }
  const RowGroups groups = rows_by_group(table);
  const std::size_t most_rows = table.predicted.size() * (groups.names.size() + 1);
  require_resampled(resamples, most_rows * chosen.size(), "--ci N with a smaller N needs less");
  using RowValues = std::vector<std::optional<double>>;  // by coefficient
  std::vector<std::vector<RowValues>> found(resamples);
  context.pool.for_each(resamples, [&](std::size_t resample, std::size_t) {
    context.check_cancelled();
    for (CorrelationRow& row :
         correlate(resampled(table, groups, RandomStream(seed, resample)), chosen, options))
      found[resample].push_back(std::move(row.values));
  });
  std::vector<std::vector<std::optional<Interval>>> intervals(found.front().size());
  for (std::size_t row = 0; row < intervals.size(); ++row) {
    context.check_cancelled();
    std::size_t place = 0;
    for (const Coefficient one : coefficients) {
      std::optional<Interval>& interval = intervals[row].emplace_back();
      if (!has_intervals(one)) continue;
      std::vector<double> values;
      for (const std::vector<RowValues>& rows : found) {
        if (const auto& value = rows[row][place]) values.push_back(*value);
      }
      ++place;
      interval = interval_of_resamples(std::move(values), resamples);
    }
  }
  return intervals;
}

}  // namespace markeval::meta
