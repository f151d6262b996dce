// How numbers and names look in tables of text, and the tables.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace markeval::report {

/// Places of the values, the best first; equal ones as given.
std::vector<std::size_t> best_first(const std::vector<double>& values, bool higher_is_better);

/// Digits after the point that a column of numbers deserves: two of the half width of its narrowest interval.
/// Without intervals: two in percent and where numbers are 10 or more, else four, or three digits of the
/// largest where all are below 0.001; a number alone has four, unless they would be zeros.
std::size_t decimals_of(const std::vector<double>& values, const std::vector<Interval>& intervals,
                        bool percent = false);

inline constexpr std::size_t kAllDigits = 99;  ///< as a number of decimals: as many as it takes

/// "38.50"; "infinite" where it is.
std::string fixed_number(double value, std::size_t decimals);
/// "[36.10, 38.92]"
std::string interval_text(const Interval& interval, std::size_t decimals);

/// Four decimals. Not finite: "infinite".
std::string short_number(double value);

/// Three decimals; "<0.001" for what is smaller, "-" where absent.
std::string probability(const std::optional<double>& value);

/// "a", "a and b", "a, b and c"; beyond `most` names a number: "5 systems".
std::string few_names(const std::vector<std::string>& names, const std::string& many, std::size_t most = 3);

/// As many digits as it takes to read the same double back.
std::string all_digits(double value);

/// A name may hold anything; a field of a TSV may not hold what separates fields or what a terminal obeys.
std::string tsv_field(std::string text);

/// How many characters a text has, not bytes.
std::size_t characters(const std::string& text);

/// Lines of at most `width` characters, broken at blanks; a longer word stands alone. 0: as it is.
std::string wrapped(const std::string& text, std::size_t width);

/// Text in columns. All rows must be equally long. The first `left_columns` columns are flush left, the
/// others, numbers, flush right. Ends with a newline; no blanks at line ends. Widths count characters, not
/// bytes; what a terminal obeys is spelled out.
std::string align(std::vector<std::vector<std::string>> rows, std::size_t left_columns);

}  // namespace markeval::report
