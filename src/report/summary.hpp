// The one table that goes into a paper: systems as rows, the best first; the main result of each metric as
// columns.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/text_options.hpp"

namespace markeval::report {

/// One metric's main result, for every system in the order of SummaryTable::systems.
struct SummaryColumn {
  std::string title;  ///< "bertscore"
  bool higher_is_better = true;
  std::vector<double> values;
  std::vector<Interval> intervals;   ///< empty: none was asked for
  std::vector<bool> better;          ///< than the first system, by a test; empty: nothing was tested
  std::vector<std::string> ranks{};  ///< "1", "1-3"; empty: nothing was tested
  std::optional<double> ceiling{};   ///< what people's own texts score
};

struct SummaryTable {
  std::vector<std::string> systems;  ///< as given
  std::vector<SummaryColumn> columns;
  std::string corner = "system";  ///< above the names
  bool sorted = true;             ///< rows by the first column, the best first
};

/// Which of its scores is the metric's main result: the first where that one was not asked for.
std::size_t main_place(const Result& result);

/// Places of the values, the best first; equal ones as given.
std::vector<std::size_t> best_first(const std::vector<double>& values, bool higher_is_better);

/// At most 80 characters wide where names allow it: a wide table of text goes on below. The best number of a
/// column is bold where the style has that; a star stands where a system is better than the first one given.
std::string write_table(const SummaryTable& table, const TextOptions& options);

/// Digits after the point that a column of numbers deserves: two of the half width of its narrowest interval.
/// Without intervals: two where numbers are 10 or more, else four, or three digits of the largest where all
/// are below 0.01.
std::size_t decimals_of(const std::vector<double>& values, const std::vector<Interval>& intervals);

/// "38.50"; "infinite" where it is.
std::string fixed_number(double value, std::size_t decimals);

}  // namespace markeval::report
