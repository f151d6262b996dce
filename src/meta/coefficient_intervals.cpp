// Rows are drawn with replacement inside each group, and each draw gives one value per coefficient. Of many
// groups the mean is over whole groups, drawn likewise: the rows of a small group drawn again give another
// coefficient on average than the group itself, and say nothing of how much groups differ.
#include "meta/coefficient_intervals.hpp"

#include "base/random.hpp"
#include "meta/quantile.hpp"
#include "meta/resampling_budget.hpp"
#include "meta/values.hpp"

namespace markeval::meta {
namespace {

/// Rows drawn with replacement inside each group; the groups keep their places and sizes.
ScoreTable resampled(const ScoreTable& table, const RowGroups& groups, RandomStream& random) {
  ScoreTable out;
  out.gold.resize(table.rows());
  out.group = table.group;
  for (const PredictedColumn& column : table.predicted)
    out.predicted.push_back({column.name, Values(table.rows())});
  for (const std::vector<std::uint32_t>& rows : groups.rows) {
    for (const std::uint32_t row : rows) {
      const std::uint32_t drawn = rows[static_cast<std::size_t>(random.below(rows.size()))];
      out.gold[row] = table.gold[drawn];
      for (std::size_t c = 0; c < table.predicted.size(); ++c)
        out.predicted[c].values[row] = table.predicted[c].values[drawn];
    }
  }
  return out;
}

/// Puts the means over groups drawn with replacement into the rows of the mean. `observed`: correlate() of
/// the table; a group without a value counts for nothing, as there.
void take_means_of_drawn_groups(std::span<const CorrelationRow> observed, std::size_t groups,
                                RandomStream& random, std::vector<CorrelationRow>& rows) {
  std::vector<std::size_t> drawn(groups);
  for (std::size_t& group : drawn) group = static_cast<std::size_t>(random.below(groups));
  for (std::size_t mean = groups; mean < rows.size(); mean += groups + 1) {
    const auto of_column = observed.subspan(mean - groups, groups);
    for (std::size_t c = 0; c < rows[mean].values.size(); ++c) {
      MeanOfPresent of_drawn;
      for (const std::size_t group : drawn) of_drawn.add(of_column[group].values[c]);
      rows[mean].values[c] = of_drawn.value();
    }
  }
}

}  // namespace

bool draws_groups(const ScoreTable& table) {
  return !table.group.empty() && rows_by_group(table).names.size() >= kGroupsToDraw;
}

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
  const bool whole_groups = draws_groups(table);
  const std::vector<CorrelationRow> observed =
      whole_groups ? correlate(table, chosen, options) : std::vector<CorrelationRow>{};
  using RowValues = std::vector<std::optional<double>>;  // by coefficient
  std::vector<std::vector<RowValues>> found(resamples);
  context.pool.for_each(resamples, [&](std::size_t resample, std::size_t) {
    context.check_cancelled();
    RandomStream random(seed, resample);
    std::vector<CorrelationRow> rows = correlate(resampled(table, groups, random), chosen, options);
    if (whole_groups) take_means_of_drawn_groups(observed, groups.names.size(), random, rows);
    for (CorrelationRow& row : rows) found[resample].push_back(std::move(row.values));
  });
  std::vector<std::vector<std::optional<Interval>>> intervals(found.front().size());
  for (std::size_t row = 0; row < intervals.size(); ++row) {
    context.check_cancelled();
    std::size_t column = 0;
    for (const Coefficient one : coefficients) {
      std::optional<Interval>& interval = intervals[row].emplace_back();
      if (!has_intervals(one)) continue;
      std::vector<double> values;
      for (const std::vector<RowValues>& rows : found) {
        if (const auto& value = rows[row][column]) values.push_back(*value);
      }
      ++column;
      interval = interval_of_resamples(std::move(values), resamples);
    }
  }
  return intervals;
}

}  // namespace markeval::meta
