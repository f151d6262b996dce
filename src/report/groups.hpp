// What metrics say of groups of segments: a table per metric, groups as columns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "report/report_text.hpp"
#include "report/table.hpp"

namespace markeval::report {

struct GroupScores {
  std::string group;
  std::size_t segments = 0;
  std::vector<Result> results;  ///< by metric, then by system
};

struct GroupedScores {
  std::string column{};  ///< "genre"; empty: there are no groups
  std::vector<GroupScores> groups{};
};

/// Adds a group to the table of its metric, which is made where there is none. `metric`: the column that
/// names it, above the systems.
void add_group(std::vector<Table>& tables, ReportColumn metric, const std::string& group,
               const std::vector<std::string>& systems, std::vector<Cell> cells);

/// "By genre: 24 chat, 24 news" and the tables; nothing without groups.
void add_groups(const GroupedScores& sizes, std::vector<Table> tables, ReportText& document);
/// The same for a page.
std::string groups_html(const GroupedScores& sizes, const std::vector<Table>& tables);

}  // namespace markeval::report
