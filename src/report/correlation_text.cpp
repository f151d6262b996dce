// What `correlate` found as people read it: a table, the best metric first, a sentence, and the tests.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/lookup.hpp"
#include "report/cells.hpp"
#include "report/correlation_verdict.hpp"
#include "report/correlations.hpp"
#include "report/report_text.hpp"

namespace markeval::report {
namespace {

constexpr std::size_t kDigits = 4;

Cell matrix_cell(const CorrelationTests& tests, std::size_t row, std::size_t column, std::size_t groups) {
  std::uint64_t separated = 0;
  Cell p("");
  for (const meta::MetricDifference& one : tests.differences) {
    const bool forwards = one.first == row && one.second == column;
    if (!(forwards || (one.first == column && one.second == row)) || !one.difference) continue;
    if (forwards ? *one.difference <= 0 : *one.difference >= 0) continue;
    p = one.p_adjusted;
    if (one.p_adjusted.value_or(1) <= kSeparated) ++separated;
  }
  if (groups == 1) return p;
  return separated == 0 ? Cell("") : Cell(separated);
}

std::string about_tests(const CorrelationTests& tests) {
  return fmt::format("{} of {}, two-sided, adjusted by {}", tests.test, tests.coefficient, tests.correction);
}

/// One matrix for all pairs, the best metric first: in a row the p-values against those it beats, or, of
/// several groups, in how many of them it is separated.
void add_matrix(const CorrelationRun& run, ReportText& document) {
  const CorrelationTests& tests = *run.tests;
  std::vector<std::string> groups;
  for (const meta::MetricDifference& one : tests.differences) add_once(groups, one.group);
  const std::vector<std::size_t> order = best_metrics_first(run);
  Table matrix{"", {""}, {}};
  for (std::size_t row = 0; row < order.size(); ++row) {
    matrix.columns.emplace_back(fmt::format("({})", row + 1), CellKind::probability);
    auto& cells = matrix.rows.emplace_back();
    cells.emplace_back(fmt::format("({}) {}", row + 1, run.predicted[order[row]]));
    for (std::size_t column = 0; column < order.size(); ++column)
      cells.push_back(row == column ? Cell(".")
                                    : matrix_cell(tests, order[row], order[column], groups.size()));
  }
  matrix.in_parts = true;
  document.caption(
      about_tests(tests) + (groups.size() == 1
                                ? ": p where the row is better than the column"
                                : fmt::format(": in how many of {} groups the row is better, p <= {}",
                                              groups.size(), kSeparated)),
      Where::text);
  document.table(std::move(matrix), Where::text);
}

bool has_groups(const CorrelationRun& run) {
  return !std::ranges::all_of(run.rows, is_whole);
}

Cell coefficient_cell(const meta::CorrelationRow& row, std::size_t coefficient) {
  Cell cell(row.values[coefficient]);
  if (!row.intervals.empty()) cell.interval = row.intervals[coefficient];
  return cell;
}

/// "These are means over groups; --by-group shows every group. Their intervals draw whole groups."
std::string about_groups(const CorrelationRun& run, const TextOptions& options) {
  std::string out = "These are means over groups";
  if (!options.details) out += "; --by-group shows every group";
  if (run.drawn == "groups") out += ". Their intervals come from drawing whole groups";
  if (run.drawn == "rows") out += ". Their intervals come from drawing rows inside each group";
  return out + ".";
}

}  // namespace

Table judgements_table(const std::vector<const CorrelationRun*>& runs) {
  const CorrelationRun& first = *runs.front();
  std::vector<double> rank_sums(first.predicted.size());  // the sum of a metric's ranks
  for (const CorrelationRun* run : runs) {
    const std::vector<std::size_t> order = best_metrics_first(*run);
    for (std::size_t rank = 0; rank < order.size(); ++rank)
      rank_sums[order[rank]] += static_cast<double>(rank);
  }
  Table table{"All judgements", {first.coefficients.front() + " with"}, {}};
  table.decimals = kDigits;
  table.in_parts = true;
  for (const CorrelationRun* run : runs) table.columns.emplace_back(run->gold, CellKind::number);
  for (const std::size_t metric : best_first(rank_sums, false)) {
    auto& row = table.rows.emplace_back();
    row.emplace_back(first.predicted[metric]);
    for (const CorrelationRun* run : runs) row.push_back(coefficient_cell(whole_row(*run, metric), 0));
  }
  return table;
}

std::string turned_note(const CorrelationRun& run) {
  if (run.lower_is_better.empty()) return "";
  return fmt::format("Lower is better for {}: the order and the tests turn the sign.",
                     few_names(run.lower_is_better, "metrics", kNamesInVerdict));
}

Table coefficients_table(const CorrelationRun& run, bool whole, const std::string& group, bool missing) {
  Table table{"Coefficients", {"metric"}, {}};
  missing = missing &&
            std::ranges::any_of(run.rows, [](const meta::CorrelationRow& row) { return row.missing > 0; });
  const bool groups = !whole && group.empty();
  if (groups) table.columns.emplace_back("group");
  table.columns.emplace_back("n", CellKind::number);
  for (const std::string& coefficient : run.coefficients)
    table.columns.emplace_back(coefficient, CellKind::number);
  if (missing) table.columns.emplace_back("missing", CellKind::number);
  table.decimals = kDigits;
  table.in_parts = true;
  for (const std::size_t metric : best_metrics_first(run)) {
    for (const meta::CorrelationRow& row : run.rows) {
      if (is_whole(row) != whole || row.predicted != run.predicted[metric]) continue;
      if (!group.empty() && row.group != group) continue;
      auto& cells = table.rows.emplace_back();
      cells.emplace_back(row.predicted);
      if (groups) cells.emplace_back(row.group);
      cells.emplace_back(row.n);
      for (std::size_t i = 0; i < row.values.size(); ++i) cells.push_back(coefficient_cell(row, i));
      if (missing) cells.emplace_back(row.missing);
    }
  }
  return table;
}

Table tests_table(const CorrelationRun& run) {
  Table table{"Differences",
              {"first",
               "second",
               "group",
               {"n", CellKind::number},
               {has_intervals(*run.tests) ? "difference [95 %]" : "difference", CellKind::number},
               {"p", CellKind::probability, true},
               {"p adjusted", CellKind::probability, true}},
              {}};
  table.decimals = kDigits;
  for (const meta::MetricDifference& one : run.tests->differences) {
    table.rows.push_back({run.predicted[one.first], run.predicted[one.second], one.group, one.n,
                          one.difference, one.p_value, one.p_adjusted});
    table.rows.back()[4].interval = one.interval;
  }
  return table;
}

std::string to_text(std::span<const CorrelationRun> runs, const TextOptions& options) {
  const CorrelationRun& first = runs.front();
  std::vector<const CorrelationRun*> all;
  for (const CorrelationRun& run : runs) all.push_back(&run);
  ReportText document;
  document.table(runs.size() > 1 ? judgements_table(all) : coefficients_table(first, true));
  if (const std::string turned = turned_note(first); !turned.empty())
    document.sentence(turned, Where::everywhere);
  if (runs.size() > 1) document.sentence("Rows stand in the order of their mean place over the judgements.");
  if (has_groups(first)) document.sentence(about_groups(first, options));
  document.caption(first.verdict, Where::text);
  for (const CorrelationRun& run : runs.subspan(1)) document.sentence(run.verdict);
  for (const CorrelationRun& run : runs) {
    const bool groups = options.details && has_groups(run);
    const bool tests = run.tests && run.tests->asked;
    if ((groups || tests) && runs.size() > 1) document.caption(run.gold, Where::text);
    std::vector<std::string> names;
    for (const meta::CorrelationRow& row : run.rows) {
      if (groups && !is_whole(row)) add_once(names, row.group);
    }
    for (const std::string& name : names) {
      document.caption(name, Where::text);
      document.table(coefficients_table(run, false, name), Where::text);
    }
    if (tests && run.predicted.size() > 2) add_matrix(run, document);
    if (tests && run.predicted.size() <= 2) {
      document.caption(about_tests(*run.tests), Where::text);
      document.table(tests_table(run), Where::text);
    }
  }
  document.add_signatures({first.signature});
  document.add_signatures(first.metric_signatures);
  return document.write(options);
}

}  // namespace markeval::report
