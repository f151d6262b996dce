// The one table that goes into a paper: systems as rows, the best first; the main result of each metric as
// columns.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/text_options.hpp"

namespace markeval::report {

/// A system beside the first one given, by a test.
enum class Verdict { not_separated, better, worse };

/// One metric's main result, for every system in the order of SummaryTable::systems.
struct SummaryColumn {
  std::string title;  ///< "bertscore"
  bool higher_is_better = true;
  std::vector<double> values;
  std::vector<Interval> intervals;   ///< empty: none was asked for
  std::vector<Verdict> verdicts;     ///< empty: nothing was tested
  std::vector<std::string> ranks{};  ///< "1", "1-3"; empty: nothing was tested
  std::string result{};              ///< "coverage"; empty where the title has it
  std::vector<std::string> notes{};  ///< a word behind each number; then no number is marked as the best
  bool percent = false;              ///< in_percent() of the metric
};

inline constexpr const char* kSystems = "system";

struct SummaryTable {
  std::vector<std::string> systems;  ///< as given
  std::vector<SummaryColumn> columns;
  std::string corner = kSystems;  ///< above the names; else the metric whose groups are the columns
  std::vector<std::size_t>
      order{};  ///< places of `systems` as rows; empty: the best of the first column first
};

/// The rows of a table from top to bottom, as places of its systems.
std::vector<std::size_t> row_order(const SummaryTable& table);

/// "a", "a and b", "a, b and c"; beyond `most` names a number: "5 systems".
std::string few_names(const std::vector<std::string>& names, const std::string& many, std::size_t most = 3);

/// Whether a metric's scores run to 100, as those of bleu: two decimals do, however small a score is.
bool in_percent(const std::string& metric);

/// Which of its scores is the metric's main result: the first where that one was not asked for.
std::size_t main_index(const Result& result);

/// The name of a score where the metric has several and `requested` does not end in it: "prdc" -> "coverage",
/// "bertscore.f1" -> "".
std::string told_result(const std::string& metric, const std::string& requested, const std::string& score);

/// What stands above a column: "prdc coverage", "ter ↓".
std::string heading(const SummaryColumn& column);

/// Places of the values, the best first; equal ones as given.
std::vector<std::size_t> best_first(const std::vector<double>& values, bool higher_is_better);

/// At most 80 characters wide where names allow it: a wide table of text goes on below. The best number of a
/// column is bold where the style has that; a star stands where a system is better than the first one given,
/// a dagger where it is worse. Markdown and LaTeX have intervals behind the numbers, where nothing was
/// tested.
std::string write_table(const SummaryTable& table, const TextOptions& options);

/// A line above a table: a paragraph in Markdown, a comment in LaTeX.
std::string caption(const std::string& sentence, TableStyle style);
/// The same below a table.
std::string below_table(const std::string& sentence, TableStyle style);
/// "* better than base, † worse (p adjusted <= 0.05)", as far as `table`, which is of that style, has such
/// marks.
std::string about_marks(std::string_view table, const std::string& baseline, double alpha, TableStyle style);
/// The same of its arrow: "↓ lower is better".
std::string about_arrow(std::string_view table, TableStyle style);

/// Rows of words and numbers, the first with the titles and each with its name first, in a style. Text is as
/// wide as that of write_table().
std::string write_rows(const std::vector<std::vector<std::string>>& rows, TableStyle style);

/// Digits after the point that a column of numbers deserves: two of the half width of its narrowest interval.
/// Without intervals: two in percent and where numbers are 10 or more, else four, or three digits of the
/// largest where all are below 0.01.
std::size_t decimals_of(const std::vector<double>& values, const std::vector<Interval>& intervals,
                        bool percent = false);
std::size_t decimals_of(const SummaryColumn& column);

/// "38.50"; "infinite" where it is.
std::string fixed_number(double value, std::size_t decimals);

/// "[36.10, 38.92]"
std::string interval_text(const Interval& interval, std::size_t decimals);

/// The block at the end of a text: each signature once, or where they stand; a comment in a table for papers.
std::string signature_block(std::vector<std::string> signatures, const TextOptions& options);

}  // namespace markeval::report
