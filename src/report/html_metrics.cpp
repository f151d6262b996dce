// A card per metric: chart, table of its other results, signature and details.
#include "report/html_metrics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "report/cells.hpp"
#include "report/html_page.hpp"
#include "report/html_score.hpp"
#include "report/html_table.hpp"
#include "report/html_text.hpp"
#include "report/svg_dot_plot.hpp"

namespace markeval::report {
namespace {

bool lower_is_better(const Result& result) {
  const metric::MetricInfo* info = info_of(result);
  return info != nullptr && info->better == metric::Better::lower;
}

/// One result of all systems over each other.
SvgCanvas chart_of_systems(const MetricResults& results, std::size_t which, bool titled) {
  const Result& first = *results.front();
  DotPlot plot{titled ? first.scores[which].first : "",
               "",
               {},
               lower_is_better(first) ? RowOrder::rising : RowOrder::falling};
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
  std::vector<double> values;
  for (const Result* result : results) values.push_back(result->scores[main].second);
  HtmlTable table{"Other results of " + results.front()->requested, {{"system"}}, {}};
  std::vector<std::string> names;
  std::vector<SvgCanvas> canvases;
  for (std::size_t which = 0; which < results.front()->scores.size(); ++which) {
    if (which == main) continue;
    names.push_back(results.front()->scores[which].first);
    table.columns.push_back({names.back(), true, lower_is_better(*results.front())});
    if (results.size() > 1) canvases.push_back(chart_of_systems(results, which, true));
  }
  if (names.empty()) return "";
  const auto add_row = [&](const std::string& label, const Result& result) {
    auto& cells = table.rows.emplace_back();
    cells.push_back(text_cell(label));
    for (std::size_t which = 0; which < result.scores.size(); ++which) {
      if (which == main) continue;
      cells.push_back(number_cell(result.scores[which].second));
      if (const auto interval = interval_of(result, result.scores[which].first))
        cells.back().small = short_interval(*interval);
    }
  };
  for (const std::size_t s : best_first(values, !lower_is_better(*results.front())))
    add_row(results[s]->system, *results[s]);
  return folded(fmt::format("{}", fmt::join(names, ", ")), charts(canvases) + to_html(table));
}

/// One line where all systems were scored the same way.
std::string signatures(const MetricResults& results) {
  std::vector<std::pair<std::string, std::string>> seen;  // signature, systems
  for (const Result* result : results) {
    const std::string signature = result->signature();
    const auto found =
        std::find_if(seen.begin(), seen.end(), [&](const auto& s) { return s.first == signature; });
    if (found == seen.end()) {
      seen.emplace_back(signature, result->system);
    } else {
      found->second += ", " + result->system;
    }
  }
  std::string out;
  for (const auto& [signature, systems] : seen) {
    out += signature_line(seen.size() == 1 ? signature : systems + ": " + signature);
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
  HtmlTable table{"Details of " + results.front()->requested, {{"detail"}}, {}};
  if (wide) table.columns = {{"system"}, {"detail"}, {"value"}};
  const std::span<const Result* const> columns = wide ? std::span<const Result* const>() : results;
  for (const Result* result : columns) table.columns.push_back({result->system});
  for (const auto& [name, value] : results.front()->details) {
    if (is_reported_count(name)) continue;
    if (!wide) table.rows.push_back({text_cell(name)});
    for (const Result* result : results) {
      const auto found = std::find_if(result->details.begin(), result->details.end(),
                                      [&key = name](const auto& d) { return d.first == key; });
      const std::string text = found == result->details.end() ? "" : detail_text(found->second);
      if (wide) {
        table.rows.push_back({text_cell(result->system), text_cell(name), text_cell(text)});
      } else {
        table.rows.back().push_back(text_cell(text));
      }
    }
  }
  return table.rows.empty() ? "" : to_html(table);
}

std::string card(const MetricResults& results, bool alone) {
  const Result& first = *results.front();
  const metric::MetricInfo* info = info_of(first);
  const std::size_t main = main_index(first);
  const bool several = first.scores.size() > 1;
  std::string out = fmt::format("<div class=\"card\"><h3>{}{}</h3>\n", escape(first.requested),
                                several && !alone && results.size() > 1
                                    ? fmt::format(" <small>{}</small>", escape(first.scores[main].first))
                                    : "");
  if (info != nullptr)
    out += fmt::format("<p class=\"note\">{}; {} is better.</p>\n", escape(info->summary),
                       lower_is_better(first) ? "lower" : "higher");
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

std::vector<MetricResults> by_request(const RunReport& run) {
  std::vector<MetricResults> groups;
  for (const Result& result : run.results) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const MetricResults& one) {
      return one.front()->requested == result.requested;
    });
    if (group == groups.end()) {
      groups.push_back({&result});
    } else {
      group->push_back(&result);
    }
  }
  return groups;
}

const metric::MetricInfo* info_of(const Result& result) {
  for (const metric::MetricInfo& info : metric::registry()) {
    if (info.name == result.metric) return &info;
  }
  return nullptr;
}

std::optional<Interval> interval_of(const Result& result, const std::string& name) {
  for (const auto& [key, interval] : result.intervals) {
    if (key == name) return interval;
  }
  return std::nullopt;
}

SummaryTable page_summary(const RunReport& run) {
  SummaryTable table = summary_table(run);
  if (table.columns.size() != 1 || run.results.front().scores.size() == 1) return table;
  const MetricResults results = by_request(run).front();
  const SummaryColumn main = table.columns.front();
  table.columns.clear();
  const std::size_t first = main_index(*results.front());
  const auto add = [&](std::size_t which) {
    SummaryColumn& column = table.columns.emplace_back();
    column.title = results.front()->scores[which].first;
    column.higher_is_better = main.higher_is_better;
    column.percent = main.percent;
    for (const Result* result : results) {
      column.values.push_back(result->scores[which].second);
      if (const auto interval = interval_of(*result, column.title)) column.intervals.push_back(*interval);
    }
  };
  add(first);
  for (std::size_t which = 0; which < results.front()->scores.size(); ++which) {
    if (which != first) add(which);
  }
  return table;
}

std::string scores_html(const RunReport& run) {
  const std::vector<MetricResults> groups = by_request(run);
  std::string out;
  for (const MetricResults& results : groups) out += card(results, groups.size() == 1);
  return out.empty() ? "" : "<div class=\"cards\">\n" + out + "</div>\n";
}

}  // namespace markeval::report
