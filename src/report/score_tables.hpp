// The tables of a score run: systems as rows, the best first; metrics or the results of one as columns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "metric/registry.hpp"
#include "report/run_report.hpp"
#include "report/table.hpp"

namespace markeval::report {

using MetricResults = std::vector<const Result*>;  ///< one metric as asked for, a result per system

/// By metric as asked for, in order of appearance.
std::vector<MetricResults> by_request(const std::vector<Result>& results);
bool higher_is_better(const Result& result);
std::optional<Interval> interval_of(const Result& result, const std::string& name);

/// Whether a metric's scores run to 100, as those of bleu: two decimals do, however small a score is.
bool in_percent(const std::string& metric);
/// Which of its scores is the metric's main result: the first where that one was not asked for.
std::size_t main_index(const Result& result);
/// By that score.
MetricResults best_system_first(const MetricResults& results);
/// The name of a score where the metric has several and `requested` does not end in it: "prdc" -> "coverage",
/// "bertscore.f1" -> "".
std::string told_result(const std::string& metric, const std::string& requested, const std::string& score);

/// A column of numbers of a metric, without a title.
ReportColumn metric_column(const std::string& metric, std::string title);
/// A table with the names of its rows alone.
Table named_rows(std::string title, std::string corner, const std::vector<std::string>& names);
/// Sorts the rows by a column.
void order_by(Table& table, std::size_t column);

/// The one table that goes into a paper: the main result of each metric.
Table summary_table(const RunReport& report);
/// All results of one metric.
Table results_table(const MetricResults& results);
/// The main result of each metric, a table for each: groups as columns. A group in which a metric has no
/// result is left out.
std::vector<Table> group_tables(const GroupedScores& grouped);
/// A table for each system that has scores of segments, as aligned text: millions of rows do not fit into
/// memory as cells.
std::vector<std::string> segment_tables(const RunReport& report, std::size_t decimals);

}  // namespace markeval::report
