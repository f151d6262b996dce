// A table for people: sorted by a click on a column's name where there is JavaScript, readable where there is
// none, a list of cards on a phone where its columns would not fit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace markeval::report {

struct HtmlColumn {
  std::string title;
  bool number = false;           ///< flush right; the first click sorts the best to the top,
  bool lower_is_better = false;  ///< which is the smallest here
};

struct HtmlCell {
  std::string text;               ///< any text: it is escaped
  std::optional<double> order{};  ///< what a number is sorted by; absent: by the text
  std::string small{};            ///< quieter text after it: an interval
  bool prose = false;             ///< a text of a user, in whatever script it is: set in its own direction
  bool best = false;              ///< whether it is the best of its column
  bool code = false;              ///< fixed width, may break anywhere
};

HtmlCell text_cell(std::string_view text);
HtmlCell prose_cell(std::string_view text);
HtmlCell code_cell(std::string_view text);
HtmlCell number_cell(double value);                        ///< four decimals
HtmlCell number_cell(const std::optional<double>& value);  ///< "-" where absent
HtmlCell count_cell(std::uint64_t count);

struct HtmlTable {
  std::string name;  ///< for screen readers
  std::vector<HtmlColumn> columns;
  std::vector<std::vector<HtmlCell>> rows;  ///< each as long as `columns`; the first cell names the row
  std::size_t quiet_rows = 0;               ///< the last ones: what the others are held against
};

std::string to_html(const HtmlTable& table);

}  // namespace markeval::report
