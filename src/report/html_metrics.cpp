// A card per metric: chart, table of its other results, signature and details.
#include "report/html_metrics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/lookup.hpp"
#include "report/cells.hpp"
#include "report/html_page.hpp"
#include "report/html_score.hpp"
#include "report/html_text.hpp"
#include "report/svg_dot_plot.hpp"
#include "report/table_html.hpp"

namespace markeval::report {
namespace {

/// One result of all systems over each other.
SvgCanvas chart_of_systems(const MetricResults& results, std::size_t which, bool titled) {
  const Result& first = *results.front();
  DotPlot plot{titled ? first.scores[which].first : "",
               "",
               {},
               higher_is_better(first) ? RowOrder::falling : RowOrder::rising};
  plot.name = first.requested;
  plot.width = kCardWidth;
  for (const Result* result : results) {
    if (which >= result->scores.size()) continue;
    const auto& [name, value] = result->scores[which];
    plot.rows.push_back({result->system, value, interval_of(*result, name)});
  }
  return draw_dot_plot(plot);
}

/// All results of a single system; empty where a lonely dot would be all.
std::vector<SvgCanvas> chart_of_results(const Result& result) {
  DotPlot plot{"", "", {}, RowOrder::as_given};
  plot.name = result.requested;
  plot.width = kCardWidth;
  for (const auto& [name, value] : result.scores)
    plot.rows.push_back({name, value, interval_of(result, name)});
  if (plot.rows.size() == 1 && result.intervals.empty()) return {};
  return {draw_dot_plot(plot)};
}

/// The results the overview leaves out, best system first by the main one.
std::string other_results(const MetricResults& results) {
  const std::size_t main = main_index(*results.front());
  Table table = results_table(results, {});
  table.title = "Other results of " + results.front()->requested;
  table.columns.front().title = "system";
  remove_column(table, main + 1);
  std::vector<std::string> names;
  std::vector<SvgCanvas> canvases;
  for (std::size_t which = 0; which < results.front()->scores.size(); ++which) {
    if (which == main) continue;
    names.push_back(results.front()->scores[which].first);
    if (results.size() > 1) canvases.push_back(chart_of_systems(results, which, true));
  }
  if (names.empty()) return "";
  return folded(fmt::format("{}", fmt::join(names, ", ")), charts(canvases) + to_html(table));
}

/// One line where all systems were scored the same way.
std::string signatures(const MetricResults& results) {
  Named<std::vector<std::string>> seen;  // signature, systems
  for (const Result* result : results) value_of(seen, result->signature()).push_back(result->system);
  std::string out;
  for (const auto& [signature, systems] : seen) {
    out += signature_line(seen.size() == 1 ? signature
                                           : fmt::format("{}: {}", fmt::join(systems, ", "), signature));
  }
  return out;
}

/// Whole numbers, such as counts in double, without decimals.
std::string detail_number(double value) {
  const bool whole = std::floor(value) == value && std::abs(value) < 1e15;
  return whole ? fmt::format("{:.0f}", value) : short_number(value);
}

std::string detail_text(const Detail& value) {
  if (const auto* real = std::get_if<double>(&value)) return detail_number(*real);
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return with_commas(*count);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  std::string list;
  for (const double element : std::get<std::vector<double>>(value))
    list += (list.empty() ? "" : ", ") + detail_number(element);
  return list;
}

/// Details as rows, systems as columns; many systems would be too many columns and become rows too.
std::string counts_behind(const MetricResults& results) {
  const bool wide = results.size() > 4;
  Table table{"Details of " + results.front()->requested, {"detail"}, {}};
  if (wide) table.columns = {"system", "detail", "value"};
  for (const Result* result : results) {
    if (!wide) table.columns.emplace_back(result->system);
  }
  for (const auto& [name, value] : results.front()->details) {
    if (is_reported_count(name)) continue;
    if (!wide) table.rows.push_back({name});
    for (const Result* result : results) {
      const Detail* found = find_named(result->details, name);
      const std::string text = found == nullptr ? "" : detail_text(*found);
      if (wide) {
        table.rows.push_back({result->system, name, text});
      } else {
        table.rows.back().emplace_back(text);
      }
    }
  }
  return table.rows.empty() ? "" : to_html(table);
}

std::string card(const MetricResults& results, bool alone) {
  const Result& first = *results.front();
  const std::size_t main = main_index(first);
  const bool several = first.scores.size() > 1;
  std::string out = fmt::format("<div class=\"card\"><h3>{}{}</h3>\n", escape(first.requested),
                                several && !alone && results.size() > 1
                                    ? fmt::format(" <small>{}</small>", escape(first.scores[main].first))
                                    : "");
  out += note(fmt::format("{}; {} is better.", metric::find_metric(first.metric).summary,
                          higher_is_better(first) ? "higher" : "lower"));
  std::vector<SvgCanvas> canvases;
  if (results.size() == 1) {
    canvases = chart_of_results(first);
  } else {
    for (std::size_t which = 0; which < first.scores.size(); ++which) {
      if (alone || which == main) canvases.push_back(chart_of_systems(results, which, alone && several));
    }
  }
  out += charts(canvases);
  if (!alone) out += other_results(results);
  return out + folded("how it was computed", signatures(results) + counts_behind(results)) + "</div>\n";
}

}  // namespace

Table page_summary(const RunReport& run) {
  const std::vector<MetricResults> metrics = by_request(run.results);
  if (metrics.size() != 1 || run.results.front().scores.size() == 1) return summary_table(run);
  Table table = results_table(metrics.front(), run.ceilings);
  table.title = "All systems and metrics";
  table.columns.front().title = "system";
  for (ReportColumn& column : table.columns) column.marks_best = true;
  const auto main = static_cast<std::ptrdiff_t>(main_index(run.results.front())) + 1;
  const auto main_first = [&](auto& row) {
    std::rotate(row.begin() + 1, row.begin() + main, row.begin() + main + 1);
  };
  main_first(table.columns);
  for (auto& row : table.rows) main_first(row);
  return table;
}

std::string scores_html(const RunReport& run) {
  const std::vector<MetricResults> groups = by_request(run.results);
  std::string out;
  for (const MetricResults& results : groups) out += card(results, groups.size() == 1);
  return out.empty() ? "" : "<div class=\"cards\">\n" + out + "</div>\n";
}

}  // namespace markeval::report
