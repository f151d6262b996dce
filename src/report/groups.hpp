// What metrics say of groups of segments, and its written forms: a table per metric, groups as columns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/text_options.hpp"
#include "report/summary.hpp"

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

/// The main result of each metric: systems as rows, as given, and groups as columns. A group in which a
/// metric has no result is left out.
std::vector<SummaryTable> group_tables(const GroupedScores& grouped);

/// "By genre: 24 chat, 24 news" and the tables, below those of a run; empty without groups.
std::string groups_to_text(const GroupedScores& sizes, const std::vector<SummaryTable>& tables,
                           const TextOptions& options);
/// The same for a page.
std::string groups_html(const GroupedScores& sizes, const std::vector<SummaryTable>& tables);

}  // namespace markeval::report
