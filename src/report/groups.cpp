// One summary table per metric, and the sizes of the groups.
#include "report/groups.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/quotation.hpp"
#include "metric/registry.hpp"
#include "report/cells.hpp"
#include "report/html_page.hpp"
#include "report/html_table.hpp"
#include "report/html_text.hpp"

namespace markeval::report {
namespace {

constexpr const char* kAboutCovered =
    "covered: the share of a group's references that lie among the texts of a system";

/// "24 chat, 24 news"
std::string sizes_text(const GroupedScores& sizes) {
  std::string out;
  for (const GroupScores& one : sizes.groups)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", one.segments, one.group);
  return out;
}

bool shows_covered(const std::vector<SummaryTable>& tables) {
  return std::any_of(tables.begin(), tables.end(),
                     [](const SummaryTable& table) { return table.corner.ends_with(".covered"); });
}

}  // namespace

std::vector<SummaryTable> group_tables(const GroupedScores& grouped) {
  std::vector<SummaryTable> tables;
  std::vector<std::string> requests;  // of the tables
  for (const GroupScores& group : grouped.groups) {
    for (std::size_t first = 0, next = 0; first < group.results.size(); first = next) {
      const Result& result = group.results[first];
      while (next < group.results.size() && group.results[next].requested == result.requested) ++next;
      auto known = std::find(requests.begin(), requests.end(), result.requested);
      const std::size_t which = main_index(result);
      if (known == requests.end()) {
        known = requests.insert(requests.end(), result.requested);
        SummaryTable& table = tables.emplace_back();
        table.corner = result.requested;
        if (result.scores[which].first == "covered") table.corner += ".covered";
        for (std::size_t i = first; i < next; ++i) table.systems.push_back(group.results[i].system);
      }
      SummaryColumn& column =
          tables[static_cast<std::size_t>(known - requests.begin())].columns.emplace_back();
      column.title = group.group;
      column.higher_is_better = metric::find_metric(result.metric).better == metric::Better::higher;
      column.percent = in_percent(result.metric);
      for (std::size_t i = first; i < next; ++i) {
        column.values.push_back(group.results[i].scores[which].second);
        if (which < group.results[i].intervals.size())
          column.intervals.push_back(group.results[i].intervals[which].second);
      }
    }
  }
  return tables;
}

std::string groups_to_text(const GroupedScores& sizes, const std::vector<SummaryTable>& tables,
                           const TextOptions& options) {
  std::string out;
  if (tables.empty()) return out;
  if (options.style == TableStyle::text)
    out += printable(fmt::format("\nBy {}: {}\n", sizes.column, sizes_text(sizes)));
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (i > 0 || options.style != TableStyle::text) out += "\n";
    out += write_table(tables[i], options);
  }
  if (options.style == TableStyle::text && shows_covered(tables)) out += std::string(kAboutCovered) + "\n";
  return out;
}

std::string groups_html(const GroupedScores& sizes, const std::vector<SummaryTable>& tables) {
  if (tables.empty()) return "";
  std::string out = fmt::format("<p class=\"note\">Segments by {}: {}.</p>\n", escape(sizes.column),
                                escape(sizes_text(sizes)));
  for (const SummaryTable& summary : tables) {
    HtmlTable table{summary.corner + " by " + sizes.column, {{"system"}}, {}};
    for (const SummaryColumn& column : summary.columns) table.columns.push_back({column.title, true});
    for (std::size_t system = 0; system < summary.systems.size(); ++system) {
      auto& cells = table.rows.emplace_back();
      cells.push_back(text_cell(summary.systems[system]));
      for (const SummaryColumn& column : summary.columns) {
        HtmlCell& cell = cells.emplace_back(number_cell(column.values[system]));
        if (system < column.verdicts.size() && column.verdicts[system] == Verdict::better) cell.text += " *";
        if (system < column.verdicts.size() && column.verdicts[system] == Verdict::worse)
          cell.text += " \u2020";
        if (system < column.intervals.size()) cell.small = short_interval(column.intervals[system]);
      }
    }
    out += subtitle(summary.corner) + to_html(table);
  }
  if (shows_covered(tables)) out += fmt::format("<p class=\"note\">{}.</p>\n", kAboutCovered);
  return out;
}

}  // namespace markeval::report
