// What a study found: tables, some of which are curves, and what was computed. One written form for people,
// two for programs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "report/svg_line_chart.hpp"

namespace markeval::report {

/// Nothing, a text, a whole number or a number.
using Cell = std::variant<std::monostate, std::string, std::uint64_t, double>;

/// Numbers a page draws as a histogram; those of one chart stand together.
struct StudyBand {
  std::string chart, label;
  std::vector<double> values;
};

struct StudyTable {
  std::string name;    ///< "scores", a word for files and programs
  std::string title;   ///< a line for people
  bool curve = false;  ///< the first column is the abscissa, every other one a line
  std::size_t decimals = 3;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
  bool heat = false;  ///< a square table: the first column names the rows as the others are named
  std::vector<StudyBand> bands{};               ///< what the rows sum up
  std::vector<std::vector<Cell>> deviations{};  ///< of a curve: as its rows, how far a band around it reaches
  std::string apart{};  ///< a column of a curve with another unit: it has a chart of its own
  bool by_group =
      false;  ///< columns before "mean" are groups of the user's, maybe hundreds: the mean comes first
};

struct Study {
  std::string name;   ///< "k-sweep"
  std::string about;  ///< what it shows, and of which paper
  std::vector<StudyTable> tables;
  std::vector<std::string> signatures;  ///< of the study and of the metrics, each once
  std::vector<std::string> warnings;
  std::string finding{};  ///< the headline of its page: "chrf agrees best with people (pearson 0.62)"
};

/// Up to this many groups stand beside their mean.
inline constexpr std::size_t kMostGroups = 6;
/// The columns of groups of a table that is by group; 0 of another one.
std::size_t groups_of(const StudyTable& table);
/// The column "mean" right after the labels, and behind it, where wanted, those of groups.
StudyTable mean_first(const StudyTable& table, bool groups);

/// Aligned tables and the signatures. Many groups are left out.
std::string to_text(const Study& study);
/// One table after the other, each behind a line "# NAME" and with its own header, told apart by a blank
/// line.
std::string to_tsv(const Study& study);
std::string to_tsv(const StudyTable& table);
std::string to_json(const Study& study);
/// The columns of a curve that are wanted, as lines over the first one. Quality is a full line and diversity
/// a dashed one of the same colour, as the papers draw them.
LineChart line_chart(const StudyTable& table, const std::function<bool(const std::string&)>& wanted);
/// A curve as a picture, a file of its own.
std::string to_svg(const StudyTable& table);

}  // namespace markeval::report
