// Signs of coefficients and intervals, and what to do about a column that runs against people.
#include "report/correlation_direction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "report/cells.hpp"
#include "report/correlation_verdict.hpp"
#include "report/html_page.hpp"

namespace markeval::report {
namespace {

bool is_share(const CorrelationRun& run) {
  return run.coefficients.front().ends_with("accuracy");
}

/// False for kendall-like: a tie counts against the metric, so turning a column does not just turn the sign.
bool turns_with_sign(const CorrelationRun& run) {
  return !is_share(run) && run.coefficients.front() != "kendall-like";
}

/// Whether the agreement of a column would be above that of all as they stand, were it turned round.
bool would_lead(const CorrelationRun& run, std::size_t predicted) {
  const auto value = turned_value(run, predicted);
  if (!turns_with_sign(run) || !value || *value >= 0) return false;
  for (std::size_t other = 0; other < run.predicted.size(); ++other) {
    if (turned_value(run, other).value_or(-1) >= -*value) return false;
  }
  return true;
}

/// "--lower-is-better 'my ppl' lm", of those of `columns` that are turned (or not) and came from the table.
std::string options_of(const CorrelationRun& run, std::span<const std::size_t> columns, bool turned) {
  std::vector<std::string> words;
  for (const std::size_t column : columns) {
    if (column < run.from_table && is_turned(run, column) == turned) words.push_back(run.predicted[column]);
  }
  return words.empty() ? "" : "--lower-is-better " + shell_words(words);
}

}  // namespace

bool is_turned(const CorrelationRun& run, std::size_t predicted) {
  const auto& lower = run.lower_is_better;
  return std::ranges::find(lower, run.predicted[predicted]) != lower.end();
}

std::optional<double> turned_value(const CorrelationRun& run, std::size_t predicted) {
  const auto& value = whole_row(run, predicted).values.front();
  return value && is_turned(run, predicted) ? -*value : value;
}

Direction direction_of(const CorrelationRun& run, std::size_t predicted) {
  const auto value = turned_value(run, predicted);
  if (!value) return Direction::unknown;
  if (is_share(run)) return Direction::agrees;
  const meta::CorrelationRow& row = whole_row(run, predicted);
  if (!row.intervals.empty() && row.intervals.front()) {
    const Interval& interval = *row.intervals.front();
    if (interval.low <= 0 && interval.high >= 0) return Direction::unclear;
    return *value > 0 ? Direction::agrees : Direction::reversed;
  }
  if (*value > 0) return Direction::agrees;
  return would_lead(run, predicted) ? Direction::reversed : Direction::unknown;
}

std::optional<std::size_t> best_if_turned(const CorrelationRun& run) {
  std::optional<std::size_t> best;
  for (std::size_t column = 0; column < run.predicted.size(); ++column) {
    if (direction_of(run, column) != Direction::reversed || !would_lead(run, column)) continue;
    if (!best || *turned_value(run, column) < *turned_value(run, *best)) best = column;
  }
  return best;
}

std::string numbers_of(const CorrelationRun& run, std::span<const std::size_t> columns) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const std::size_t column : columns) {
    const double value = whole_row(run, column).values.front().value_or(0);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const std::string number = fmt::format("{} {}", run.coefficients.front(), fixed_number(low, 2));
  return columns.size() == 1 ? number : fmt::format("{} to {}", number, fixed_number(high, 2));
}

std::string reversed_title(const CorrelationRun& run, std::span<const std::size_t> columns) {
  std::vector<std::string> names;
  for (const std::size_t column : columns) names.push_back(run.predicted[column]);
  return fmt::format("{} {} the {} the other way round", few_names(names, "metrics", kNamesInVerdict),
                     names.size() == 1 ? "orders" : "order", run.of_systems ? "systems" : "texts");
}

std::string reversed_hint(const CorrelationRun& run, std::span<const std::size_t> columns) {
  std::string out;
  const std::string add = options_of(run, columns, false), leave = options_of(run, columns, true);
  if (!add.empty()) {
    out = fmt::format(" If lower is better there, add {}", add);
    const auto best = best_if_turned(run);
    const bool named = best && *best < run.from_table && !is_turned(run, *best);
    if (named && columns.size() == 1) out += "; its agreement would then be the highest";
    if (named && columns.size() > 1)
      out += fmt::format("; the agreement of {} would then be the highest", run.predicted[*best]);
    out += ".";
  }
  if (!leave.empty()) out += fmt::format(" If higher is better there, leave {} out.", leave);
  return out;
}

}  // namespace markeval::report
