// Tables made of results: summaries, all results of a metric, groups and segments.
#include "report/score_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/cancellation.hpp"
#include "base/lookup.hpp"
#include "base/quotation.hpp"

namespace markeval::report {
namespace {

Cell cell_of(const Result& result, std::size_t score) {
  Cell cell(result.scores[score].second);
  if (score < result.intervals.size()) cell.interval = result.intervals[score].second;
  return cell;
}

std::vector<Cell> cells_of(const MetricResults& results, std::size_t score) {
  std::vector<Cell> cells;
  for (const Result* result : results) cells.push_back(cell_of(*result, score));
  return cells;
}

std::vector<std::string> systems_of(const MetricResults& results) {
  std::vector<std::string> systems;
  for (const Result* result : results) systems.push_back(result->system);
  return systems;
}

/// "bleu" where a metric has one result, "bertscore.f1" for one of several.
std::string segment_title(const Result& result, const std::string& score) {
  return result.segments.size() == 1 ? result.requested : result.requested + "." + score;
}

}  // namespace

std::vector<MetricResults> by_request(const std::vector<Result>& results) {
  std::vector<MetricResults> groups;
  for (const Result& result : results) {
    auto group = std::ranges::find_if(
        groups, [&](const MetricResults& one) { return one.front()->requested == result.requested; });
    if (group == groups.end()) group = groups.insert(group, MetricResults{});
    group->push_back(&result);
  }
  return groups;
}

bool higher_is_better(const Result& result) {
  return metric::find_metric(result.metric).better == metric::Better::higher;
}

std::optional<Interval> interval_of(const Result& result, const std::string& name) {
  const Interval* found = find_named(result.intervals, name);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

bool in_percent(const std::string& metric) {
  return metric::find_metric(metric).range.starts_with("0 to 100");
}

std::size_t main_index(const Result& result) {
  return index_of(result.scores, metric::find_metric(result.metric).main);
}

std::string told_result(const std::string& metric, const std::string& requested, const std::string& score) {
  const bool told = metric::find_metric(metric).results.size() == 1 || requested.ends_with("." + score);
  return told ? "" : score;
}

ReportColumn metric_column(const std::string& metric, std::string title) {
  ReportColumn column(std::move(title), CellKind::number,
                      metric::find_metric(metric).better == metric::Better::lower);
  column.arrow = column.lower_is_better;
  column.percent = in_percent(metric);
  return column;
}

Table named_rows(std::string title, std::string corner, const std::vector<std::string>& names) {
  Table table{std::move(title), {}, {}};
  add_column(table, std::move(corner), {names.begin(), names.end()});
  return table;
}

MetricResults best_system_first(const MetricResults& results) {
  std::vector<double> scores;
  for (const Result* result : results) scores.push_back(result->scores[main_index(*result)].second);
  MetricResults sorted;
  for (const std::size_t s : best_first(scores, higher_is_better(*results.front())))
    sorted.push_back(results[s]);
  return sorted;
}

void order_by(Table& table, std::size_t column) {
  std::vector<double> values;
  for (const auto& row : table.rows) values.push_back(*row[column].number());
  table.order = best_first(values, !table.columns[column].lower_is_better);
}

Table summary_table(const RunReport& report) {
  const std::vector<MetricResults> groups = by_request(report.results);
  if (groups.empty()) return {};
  Table table = named_rows("All systems and metrics", "system", systems_of(groups.front()));
  for (const MetricResults& results : groups) {
    const Result& first = *results.front();
    const std::size_t main = main_index(first);
    ReportColumn column = metric_column(first.metric, first.requested);
    column.result = told_result(first.metric, first.requested, first.scores[main].first);
    column.marks_best = true;
    column.of_sets = metric::find_metric(first.metric).kind == metric::Kind::set && first.segments.empty();
    add_column(table, std::move(column), cells_of(results, main));
  }
  order_by(table, 1);
  table.brief = table.in_parts = true;
  return table;
}

Table results_table(const MetricResults& results) {
  const Result& first = *results.front();
  const bool one_score = first.scores.size() == 1;
  Table table = named_rows("Results of " + first.requested, one_score ? "system" : first.requested,
                           systems_of(results));
  for (std::size_t score = 0; score < first.scores.size(); ++score)
    add_column(table, metric_column(first.metric, one_score ? first.requested : first.scores[score].first),
               cells_of(results, score));
  order_by(table, main_index(first) + 1);
  table.in_parts = true;
  return table;
}

std::vector<Table> group_tables(const GroupedScores& grouped) {
  std::vector<Table> tables;
  for (const GroupScores& group : grouped.groups) {
    for (const MetricResults& results : by_request(group.results)) {
      const Result& first = *results.front();
      const std::size_t main = main_index(first);
      const std::string& result = first.scores[main].first;
      add_group(tables,
                metric_column(first.metric, first.requested + (result == "covered" ? ".covered" : "")),
                group.group, systems_of(results), cells_of(results, main));
    }
  }
  return tables;
}

std::vector<std::string> segment_tables(const RunReport& report, std::size_t decimals) {
  struct SegmentColumn {
    std::string title;
    const std::vector<double>* values;
    std::size_t width;
  };
  std::vector<std::string> tables;
  for (auto result = report.results.begin(); result != report.results.end();) {
    const std::string& system = result->system;
    std::vector<SegmentColumn> columns;
    for (; result != report.results.end() && result->system == system; ++result) {
      for (const auto& [name, values] : result->segments) {
        const std::string title = printable(segment_title(*result, name));
        std::size_t width = characters(title);
        for (const double value : values) width = std::max(width, fixed_number(value, decimals).size());
        columns.push_back({title, &values, width});
      }
    }
    if (columns.empty()) continue;
    const std::string corner = printable("segment of " + system);
    const std::size_t segments = columns.front().values->size();
    const std::size_t width = std::max(characters(corner), std::to_string(segments).size());
    std::string& text = tables.emplace_back(corner + std::string(width - characters(corner), ' '));
    for (const SegmentColumn& column : columns)
      text += std::string(2 + column.width - characters(column.title), ' ') + column.title;
    for (std::size_t i = 0; i < segments; ++i) {
      check_cancelled();
      text += fmt::format("\n{:<{}}", i + 1, width);
      for (const SegmentColumn& column : columns)
        text += fmt::format("  {:>{}}", fixed_number((*column.values)[i], decimals), column.width);
    }
    text += "\n";
  }
  return tables;
}

}  // namespace markeval::report
