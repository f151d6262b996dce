// A table as data. Reports are made of tables and charts; a table has one writer for each format: text,
// Markdown and LaTeX (table_text.hpp), lines for programs and JSON (table_data.hpp), pages (table_html.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "report/cells.hpp"

namespace markeval::report {

/// A system beside the first one given, by a test.
enum class Verdict { not_separated, better, worse };

/// Nothing, a text, a whole number or a number, and what stands beside it.
struct Cell {
  Cell() = default;
  Cell(std::string text) : value(std::move(text)) {}
  Cell(const char* text) : value(std::string(text)) {}
  Cell(std::uint64_t count) : value(count) {}
  Cell(double number) : value(number) {}
  Cell(const std::optional<double>& number) {
    if (number) value = *number;
  }

  /// Empty where it is no text.
  std::string text() const;
  /// Null where it is none, or a count.
  const double* number() const { return std::get_if<double>(&value); }

  std::variant<std::monostate, std::string, std::uint64_t, double> value{};
  std::optional<Interval> interval{};
  std::optional<double> spread{};         ///< "0.61 ± 0.02"
  std::optional<std::size_t> decimals{};  ///< else those of its column
  Verdict verdict = Verdict::not_separated;
  std::string note{};  ///< a word behind the number: "farther"
  std::string rank{};  ///< "1", "1-3": a page has it behind the number
};

enum class CellKind {
  text,         ///< flush left, unless there are numbers in it
  number,       ///< flush right, whatever is in it
  probability,  ///< three decimals
  bytes,        ///< a size: "1.2 kB"
  prose,        ///< a text of a user, in whatever script it is
  code          ///< fixed width on a page, may be broken anywhere
};

struct ReportColumn {
  ReportColumn(const char* name) : title(name) {}
  ReportColumn(std::string name, CellKind content = CellKind::text, bool lower = false)
      : title(std::move(name)), kind(content), lower_is_better(lower) {}

  std::string title;  ///< "bertscore"
  CellKind kind = CellKind::text;
  bool lower_is_better = false;           ///< a click on a page sorts the smallest to the top
  bool arrow = false;                     ///< whether the title says so
  std::string result{};                   ///< behind the title: "coverage"; empty where the title has it
  std::optional<std::size_t> decimals{};  ///< else as many as its numbers deserve
  bool percent = false;                   ///< in_percent() of the metric
  bool marks_best = false;                ///< the best number is bold where a format has that
  bool of_sets = false;                   ///< it depends on the size of the sets, so nobody leads by it
  bool beside_people = false;             ///< another table has it at one size: nobody is bold by this one
};

/// How a page draws the numbers of a table, beside or above it.
enum class Drawing {
  none,
  curve,  ///< the first column is the abscissa, every other one a line
  heat    ///< a square table: the first column names the rows as the others are named
};

/// Numbers of a histogram; those of one chart stand together.
struct Band {
  std::string chart, label;
  std::vector<double> values;
};

struct Table {
  std::string title;  ///< a line for people
  std::vector<ReportColumn> columns;
  std::vector<std::vector<Cell>> rows;    ///< each as long as `columns`; the first cell names the row
  std::string name{};                     ///< "scores": a word for files and programs
  std::vector<std::size_t> order{};       ///< the rows as people read them; empty: as they stand
  std::optional<std::size_t> decimals{};  ///< of all columns without their own
  bool brief = false;                     ///< text has numbers alone; what is beside them stands elsewhere
  bool tested = false;                    ///< the verdicts of its cells are those of a test
  bool in_parts = false;                  ///< text wider than a screen goes on below
  Drawing drawing = Drawing::none;
  std::string apart{};        ///< a column of a curve with another unit: it has a chart of its own
  std::vector<Band> bands{};  ///< histograms of what the rows sum up
  bool by_group = false;      ///< columns before "mean" are groups of the user's, maybe hundreds
};

inline constexpr const char* kLowerIsBetter = " \u2193";

/// What stands above a column: "prdc coverage", "ter ↓".
std::string heading(const ReportColumn& column);
/// Whether a column has numbers, or was made for them.
bool is_numeric(const Table& table, std::size_t column);
/// The rows as people read them.
std::vector<std::size_t> row_order(const Table& table);
/// Adds a column whose cells stand in the order of the rows, which are made where there are none.
void add_column(Table& table, ReportColumn column, std::vector<Cell> cells);
void remove_column(Table& table, std::size_t column);

/// Digits after the point: as asked for, those of the column, or as many as its numbers deserve.
std::size_t decimals_of(const Table& table, std::size_t column, std::optional<std::size_t> digits = {});
/// The value of a cell as people read it; "-" where there is none.
std::string shown(const Cell& cell, const ReportColumn& column, std::size_t decimals);
/// The rows with the best number of a column as it is printed: numbers that look the same are a tie.
std::vector<std::size_t> best_shown(const Table& table, std::size_t column,
                                    std::optional<std::size_t> digits = {});
/// The same where the column marks them, but none where all look alike.
std::vector<std::size_t> rows_in_bold(const Table& table, std::size_t column,
                                      std::optional<std::size_t> digits = {});

}  // namespace markeval::report
