// What `correlate` found as people read it: a table, the best metric first, a sentence, and the tests.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/cells.hpp"
#include "report/correlation_verdict.hpp"
#include "report/correlations.hpp"
#include "report/summary.hpp"

namespace markeval::report {
namespace {

using Number = std::optional<double>;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kDigits = 4;

std::string coefficient_text(const Number& value, std::size_t digits = kDigits) {
  return value ? fixed_number(*value, digits) : "-";
}

/// " [0.61, 0.69]", or nothing.
std::string interval_text(const meta::CorrelationRow& row, std::size_t coefficient, std::size_t digits) {
  if (row.intervals.empty() || !row.intervals[coefficient]) return "";
  const Interval& interval = *row.intervals[coefficient];
  return fmt::format(" [{}, {}]", fixed_number(interval.low, digits), fixed_number(interval.high, digits));
}

std::string tests_to_text(const CorrelationRun& run) {
  const CorrelationTests& tests = *run.tests;
  const bool intervals = has_intervals(tests);
  std::vector<std::vector<std::string>> rows{{"first", "second", "group", "n", "difference"}};
  if (intervals) rows[0].insert(rows[0].end(), {"low", "high"});
  rows[0].insert(rows[0].end(), {"p", "p adjusted"});
  for (const meta::MetricDifference& difference : tests.differences) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {run.predicted[difference.first], run.predicted[difference.second], difference.group,
           std::to_string(difference.n), coefficient_text(difference.difference)};
    if (intervals) {
      const auto& ends = difference.interval;
      row.push_back(ends ? coefficient_text(ends->low) : "-");
      row.push_back(ends ? coefficient_text(ends->high) : "-");
    }
    row.insert(row.end(), {probability(difference.p_value), probability(difference.p_adjusted)});
  }
  return fmt::format("\n{} of {}, two-sided, adjusted by {}\n{}", tests.test, tests.coefficient,
                     tests.correction, align(rows, 3));
}

std::string matrix_cell(const CorrelationTests& tests, std::size_t row, std::size_t column,
                        std::size_t groups) {
  std::size_t separated = 0;
  std::string p;
  for (const meta::MetricDifference& one : tests.differences) {
    const bool forwards = one.first == row && one.second == column;
    if (!(forwards || (one.first == column && one.second == row)) || !one.difference) continue;
    if (forwards ? *one.difference <= 0 : *one.difference >= 0) continue;
    p = probability(one.p_adjusted);
    if (one.p_adjusted.value_or(1) <= kSeparated) ++separated;
  }
  if (groups == 1) return p;
  return separated == 0 ? "" : std::to_string(separated);
}

/// One matrix for all pairs, the best metric first: in a row the p-values against those it beats, or, of
/// several groups, in how many of them it is separated.
std::string matrix_to_text(const CorrelationRun& run) {
  const CorrelationTests& tests = *run.tests;
  std::vector<std::string> groups;
  for (const meta::MetricDifference& one : tests.differences) {
    if (std::find(groups.begin(), groups.end(), one.group) == groups.end()) groups.push_back(one.group);
  }
  const std::vector<std::size_t> order = best_metrics_first(run);
  std::vector<std::vector<std::string>> rows{{""}};
  for (std::size_t column = 0; column < order.size(); ++column)
    rows[0].push_back(fmt::format("({})", column + 1));
  for (std::size_t row = 0; row < order.size(); ++row) {
    rows.push_back({fmt::format("({}) {}", row + 1, run.predicted[order[row]])});
    for (std::size_t column = 0; column < order.size(); ++column)
      rows.back().push_back(row == column ? "."
                                          : matrix_cell(tests, order[row], order[column], groups.size()));
  }
  return fmt::format(
      "\n{} of {}, two-sided, adjusted by {}: {}\n{}", tests.test, tests.coefficient, tests.correction,
      groups.size() == 1
          ? "p where the row is better than the column"
          : fmt::format("in how many of {} groups the row is better, p <= {}", groups.size(), kSeparated),
      write_rows(rows, TableStyle::text));
}

/// "0.9353 [0.8812, 0.9644]"
std::string value_text(const meta::CorrelationRow& row, std::size_t coefficient, std::size_t digits) {
  return coefficient_text(row.values[coefficient], digits) + interval_text(row, coefficient, digits);
}

bool has_groups(const CorrelationRun& run) {
  return !std::all_of(run.rows.begin(), run.rows.end(), is_whole);
}

/// metric, n and the coefficients, the best metric first; of `group` where that is not empty.
std::string table_of(const CorrelationRun& run, const std::string& group, const TextOptions& options) {
  Rows rows{{"metric", "n"}};
  rows[0].insert(rows[0].end(), run.coefficients.begin(), run.coefficients.end());
  for (const std::size_t metric : best_metrics_first(run)) {
    for (const meta::CorrelationRow& row : run.rows) {
      const bool shown = group.empty() ? is_whole(row) : !is_whole(row) && row.group == group;
      if (row.predicted != run.predicted[metric] || !shown) continue;
      rows.push_back({row.predicted, std::to_string(row.n)});
      for (std::size_t i = 0; i < row.values.size(); ++i)
        rows.back().push_back(value_text(row, i, options.digits.value_or(kDigits)));
    }
  }
  return write_rows(rows, options.style);
}

/// A row for each metric, a column for each judgement: the first coefficient. The metric whose places in the
/// rankings have the lowest mean comes first.
std::string judgements_table(std::span<const CorrelationRun> runs, const TextOptions& options) {
  const CorrelationRun& first = runs.front();
  std::vector<double> rank_sums(first.predicted.size());  // the sum of a metric's ranks
  Rows rows{{fmt::format("{} with", first.coefficients.front())}};
  for (const CorrelationRun& run : runs) {
    rows[0].push_back(run.gold);
    const std::vector<std::size_t> order = best_metrics_first(run);
    for (std::size_t rank = 0; rank < order.size(); ++rank)
      rank_sums[order[rank]] += static_cast<double>(rank);
  }
  for (const std::size_t metric : best_first(rank_sums, false)) {
    rows.push_back({first.predicted[metric]});
    for (const CorrelationRun& run : runs)
      rows.back().push_back(value_text(whole_row(run, metric), 0, options.digits.value_or(kDigits)));
  }
  return write_rows(rows, options.style);
}

/// "These are means over groups; --by-group shows every group. Their intervals draw whole groups."
std::string about_groups(const CorrelationRun& run, const TextOptions& options) {
  std::string out = "These are means over groups";
  if (!options.details) out += "; --by-group shows every group";
  if (run.drawn == "groups") out += ". Their intervals come from drawing whole groups";
  if (run.drawn == "rows") out += ". Their intervals come from drawing rows inside each group";
  return out + ".";
}

std::string groups_to_text(const CorrelationRun& run, const TextOptions& options) {
  std::string out;
  std::vector<std::string> seen;
  for (const meta::CorrelationRow& row : run.rows) {
    if (is_whole(row) || std::find(seen.begin(), seen.end(), row.group) != seen.end()) continue;
    seen.push_back(row.group);
    out += fmt::format("\n{}\n{}", row.group, table_of(run, row.group, options));
  }
  return out;
}

}  // namespace

std::string turned_note(const CorrelationRun& run) {
  if (run.lower_is_better.empty()) return "";
  return fmt::format("Lower is better for {}: the order and the tests turn the sign.",
                     few_names(run.lower_is_better, "metrics", kNamesInVerdict));
}

std::string to_text(std::span<const CorrelationRun> runs, const TextOptions& options) {
  const CorrelationRun& first = runs.front();
  const bool plain = options.style == TableStyle::text;
  std::string out = runs.size() > 1 ? judgements_table(runs, options) : table_of(first, "", options);
  const std::string turned = turned_note(first);
  if (!turned.empty()) out += below_table(turned, options.style);
  std::vector<std::string> signatures{first.signature};
  signatures.insert(signatures.end(), first.metric_signatures.begin(), first.metric_signatures.end());
  if (!plain) return out + signature_block(signatures, options);
  if (runs.size() > 1) out += "Rows stand in the order of their mean place over the judgements.\n";
  if (has_groups(first)) out += wrapped(about_groups(first, options), options.line_width) + "\n";
  out += "\n";
  for (const CorrelationRun& run : runs) out += wrapped(run.verdict, options.line_width) + "\n";
  for (const CorrelationRun& run : runs) {
    const std::string title = runs.size() > 1 ? fmt::format("\n{}\n", run.gold) : "";
    const bool groups = options.details && has_groups(run);
    const bool tests = run.tests && run.tests->asked;
    if (groups || tests) out += title;
    if (groups) out += groups_to_text(run, options);
    if (tests) out += run.predicted.size() > 2 ? matrix_to_text(run) : tests_to_text(run);
  }
  return out + signature_block(signatures, options);
}

}  // namespace markeval::report
