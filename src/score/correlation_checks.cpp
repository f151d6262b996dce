// Groups with too few rows are dropped or refused; missing values and undefined coefficients give warnings.
#include "score/correlation_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "score/undefined_groups.hpp"

namespace markeval::score {

using meta::ScoreTable;

namespace {

/// Why kendall-like has no value at all.
std::string unjudged_pairs(const ScoreTable& table, double threshold) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto& value : table.gold) {
    if (value) low = std::min(low, *value), high = std::max(high, *value);
  }
  return fmt::format(
      "kendall-like: no two human scores{} are {} apart (they range from {} to {}), "
      "--gold-threshold X judges closer ones",
      table.group.empty() ? "" : " of a group", threshold, low, high);
}

}  // namespace

ScoreTable check_groups(ScoreTable table, const CorrelateRequest& request, const std::string& gold,
                        LogSink& log) {
  const std::size_t least = request.min_rows.value_or(2);
  const meta::RowGroups groups = meta::rows_by_group(table);
  std::vector<char> keep(table.rows(), 1);
  std::size_t left_out = 0;
  for (std::size_t g = 0; g < groups.names.size(); ++g) {
    for (const meta::PredictedColumn& column : table.predicted) {
      const auto complete =
          static_cast<std::size_t>(std::ranges::count_if(groups.rows[g], [&](std::uint32_t row) {
            return table.gold[row].has_value() && column.values[row].has_value();
          }));
      if (complete >= least) continue;
      if (!request.min_rows || table.group.empty()) {
        throw_invalid(
            fmt::format("{}: {} has {} {}{} with both '{}' and '{}', expected at least {}", request.table,
                        table.group.empty() ? "the table" : fmt::format("group '{}'", groups.names[g]),
                        complete, request.level == "system" ? "system" : "row", complete == 1 ? "" : "s",
                        gold, column.name, std::max<std::size_t>(least, 2)));
      }
      for (const std::uint32_t row : groups.rows[g]) keep[row] = 0;
      ++left_out;
      break;
    }
  }
  if (left_out == 0) return table;
  if (left_out == groups.names.size()) {
    throw_invalid(fmt::format("{}: none of {} groups has {} complete rows", request.table, left_out, least));
  }
  log.warning(fmt::format("{}: {} of {} groups left out, fewer than {} complete rows", request.table,
                          left_out, groups.names.size(), least));
  const auto filter = [&keep](auto& values) {
    std::size_t kept = 0;
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (keep[row] == 0) continue;
      if (kept != row) values[kept] = std::move(values[row]);
      ++kept;
    }
    values.resize(kept);
  };
  filter(table.gold);
  filter(table.group);
  filter(table.system);
  filter(table.segment);
  for (meta::PredictedColumn& column : table.predicted) filter(column.values);
  return table;
}

void warn_of_missing(const std::vector<meta::CorrelationRow>& rows, std::string_view what,
                     const std::string& with, const RunContext& context) {
  for (const meta::CorrelationRow& row : rows) {
    if (row.missing == 0 || (row.group != meta::kMeanRow && row.group != meta::kAllRows)) continue;
    context.warn(fmt::format("{}{}: {} of {} {} left out, a value is missing", row.predicted, with,
                             row.missing, row.missing + row.n, what));
  }
}

void warn_of_gaps(const report::CorrelationRun& run, const ScoreTable& table, double threshold,
                  const std::string& with, const RunContext& context) {
  const std::string like(name(meta::Coefficient::kendall_like));
  const auto at = std::ranges::find(run.coefficients, like);
  const auto which = static_cast<std::size_t>(at - run.coefficients.begin());
  const bool unjudged =
      at != run.coefficients.end() && std::ranges::none_of(run.rows, [&](const meta::CorrelationRow& row) {
        return row.values[which].has_value();
      });
  if (unjudged) context.warn(unjudged_pairs(table, threshold));
  warn_of_missing(run.rows, "rows", with, context);
  warn_of_undefined(run, table, unjudged ? like : "", with, context);
}

}  // namespace markeval::score
