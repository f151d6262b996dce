// What a study found: tables, some of which are curves, and what was computed. One written form for people,
// two for programs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/text_options.hpp"
#include "report/svg_line_chart.hpp"
#include "report/table.hpp"

namespace markeval::report {

struct Study {
  std::string name;   ///< "k-sweep"
  std::string about;  ///< what it shows, and of which paper
  std::vector<Table> tables;
  std::vector<std::string> signatures;  ///< of the study and of the metrics, each once
  std::vector<std::string> warnings;
  std::string finding{};  ///< the headline of its page: "chrf agrees best with people (pearson 0.62)"
};

/// A table without rows: "scores", "Score", {"k"}.
Table study_table(std::string name, std::string title, std::vector<ReportColumn> columns,
                  std::size_t decimals = 3, Drawing drawing = Drawing::none);

/// Up to this many groups stand beside their mean.
inline constexpr std::size_t kMostGroups = 6;
/// The columns of groups of a table that is by group; 0 of another one.
std::size_t groups_of(const Table& table);
/// The column "mean" right after the labels, and behind it, where wanted, those of groups.
Table mean_first(const Table& table, bool groups);

/// Aligned tables and the signatures. Many groups are left out.
std::string to_text(const Study& study, const TextOptions& options = {});
/// One table after the other, each behind a line "# NAME" and with its own header, told apart by a blank
/// line.
std::string to_tsv(const Study& study);
std::string to_json(const Study& study);
/// The columns of a curve that are wanted, as lines over the first one, with a band as wide as the spread of
/// the cells. Quality is a full line and diversity a dashed one of the same colour, as the papers draw them.
LineChart line_chart(const Table& table, const std::function<bool(const std::string&)>& wanted);
/// A curve as a picture, a file of its own.
std::string to_svg(const Table& table);

}  // namespace markeval::report
