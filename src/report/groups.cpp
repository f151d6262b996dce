// Tables with a column for each group, and the sizes of the groups.
#include "report/groups.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/html_page.hpp"
#include "report/score_tables.hpp"
#include "report/table_html.hpp"

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

bool shows_covered(const std::vector<Table>& tables) {
  return std::ranges::any_of(
      tables, [](const Table& table) { return table.columns.front().title.ends_with(".covered"); });
}

}  // namespace

void add_group(std::vector<Table>& tables, ReportColumn metric, const std::string& group,
               const std::vector<std::string>& systems, std::vector<Cell> cells) {
  auto table = std::ranges::find_if(
      tables, [&](const Table& one) { return one.columns.front().title == metric.title; });
  ReportColumn column(group, CellKind::number, metric.lower_is_better);
  column.percent = metric.percent;
  column.marks_best = true;
  if (table == tables.end()) {
    metric.kind = CellKind::text;
    table = tables.insert(table, Table{metric.title, {}, {}});
    add_column(*table, std::move(metric), {systems.begin(), systems.end()});
    table->brief = table->in_parts = true;
  }
  add_column(*table, std::move(column), std::move(cells));
  if (table->columns.size() == 2) order_by(*table, 1);
}

void add_groups(const GroupedScores& sizes, std::vector<Table> tables, ReportText& document) {
  if (tables.empty()) return;
  document.caption(fmt::format("By {}: {}", sizes.column, sizes_text(sizes)), Where::text);
  const bool covered = shows_covered(tables);
  for (Table& table : tables) document.table(std::move(table));
  if (covered) document.sentence(kAboutCovered);
}

std::string groups_html(const GroupedScores& sizes, const std::vector<Table>& tables) {
  if (tables.empty()) return "";
  std::string out = note(fmt::format("Segments by {}: {}.", sizes.column, sizes_text(sizes)));
  for (Table table : tables) {
    out += subtitle(table.title);
    table.title += " by " + sizes.column;
    out += to_html(table);
  }
  return shows_covered(tables) ? out + note(kAboutCovered + std::string(".")) : out;
}

}  // namespace markeval::report
