// A table as HTML. The width of the columns decides between a table and cards; long words get places to
// break.
#include "report/table_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/html_text.hpp"

namespace markeval::report {
namespace {

constexpr double kPhoneRoom = 318;  ///< what a screen of 360 leaves between the margins
constexpr double kTextSize = 14.5;
constexpr double kCellPadding = 14;
constexpr std::string_view kBreaks = "_/=";

/// A cell as it is written.
struct HtmlCell {
  std::string text, small;      ///< quieter text after it: an interval
  std::optional<double> order;  ///< what a number is sorted by; absent: by the text
  bool best = false;
};

std::string size_text(std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (bytes < 1000) return counted(bytes, "byte");
  if (bytes < 1'000'000) return fmt::format("{:.1f} kB", size / 1e3);
  return bytes < 1'000'000'000 ? fmt::format("{:.1f} MB", size / 1e6) : fmt::format("{:.2f} GB", size / 1e9);
}

HtmlCell written(const Cell& cell, const ReportColumn& column, std::size_t decimals, bool brief) {
  HtmlCell out{shown(cell, column, decimals), cell.note, {}};
  if (const auto* count = std::get_if<std::uint64_t>(&cell.value)) {
    out.text = column.kind == CellKind::bytes ? size_text(*count) : with_commas(*count);
    out.order = static_cast<double>(*count);
  }
  if (cell.number() != nullptr && std::isfinite(*cell.number())) out.order = *cell.number();
  if (!cell.rank.empty()) {
    out.small = "(" + cell.rank + ")";
    return out;
  }
  if (cell.verdict != Verdict::not_separated) out.text += cell.verdict == Verdict::better ? " *" : " \u2020";
  if (cell.spread && !brief)
    out.small = "\u00b1" + fixed_number(*cell.spread, cell.decimals.value_or(decimals));
  if (cell.interval) out.small = interval_text(*cell.interval, cell.decimals.value_or(decimals));
  return out;
}

/// The cells by column, in the order of the rows of the table.
std::vector<std::vector<HtmlCell>> cells_of(const Table& table) {
  std::vector<std::vector<HtmlCell>> columns(table.columns.size());
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const std::size_t decimals = decimals_of(table, column);
    for (const auto& row : table.rows)
      columns[column].push_back(written(row[column], table.columns[column], decimals, table.brief));
    for (const std::size_t row : rows_in_bold(table, column)) columns[column][row].best = true;
  }
  return columns;
}

/// Whether it stands beside the other columns on a phone.
bool fits_a_phone(const Table& table, const std::vector<std::vector<HtmlCell>>& cells) {
  double width = 0;
  for (std::size_t column = 0; column < cells.size(); ++column) {
    double widest = text_width(heading(table.columns[column]), kTextSize) + 8;
    for (const HtmlCell& cell : cells[column]) {
      widest =
          std::max(widest, table.columns[column].kind == CellKind::prose
                               ? 400
                               : text_width(cell.text, kTextSize) + text_width(cell.small, kTextSize - 2));
    }
    width += widest + kCellPadding;
  }
  return width <= kPhoneRoom;
}

/// Escaped, with places where a long name may be broken.
std::string breakable(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t at = text.find_first_of(kBreaks);
    out += escape(text.substr(0, at == std::string_view::npos ? at : at + 1));
    if (at == std::string_view::npos) return out;
    out += "<wbr>";
    text.remove_prefix(at + 1);
  }
}

/// Must it be broken somewhere lest it be wider than a page?
bool has_long_word(std::string_view text) {
  constexpr std::size_t kLong = 36;
  std::size_t length = 0;
  return std::ranges::any_of(text, [&](char c) {
    length = c == ' ' || kBreaks.find(c) != std::string_view::npos ? 0 : length + 1;
    return length > kLong;
  });
}

/// `card`: in one piece, to stand beside its column's name.
std::string cell_html(const ReportColumn& column, bool number, const HtmlCell& cell, bool first, bool card) {
  std::string classes;
  const auto add = [&](bool wanted, char name) {
    if (wanted) classes += (classes.empty() ? "" : " ") + std::string(1, name);
  };
  const bool prose = column.kind == CellKind::prose;
  add(number, 'n');
  add(prose, 'p');
  add(cell.best, 'b');
  add(column.kind == CellKind::code, 'c');
  add(has_long_word(cell.text), 'a');
  std::string out =
      first ? "<th scope=\"row\"" : fmt::format("<td data-label=\"{}\"", escape(heading(column)));
  if (!classes.empty()) out += fmt::format(" class=\"{}\"", classes);
  if (cell.order) out += fmt::format(" data-v=\"{}\"", *cell.order);
  if (prose) out += " dir=\"auto\"";
  out += card && !cell.text.empty() ? "><span>" : ">";
  out += number || prose ? escape(cell.text) : breakable(cell.text);
  if (!cell.small.empty()) out += fmt::format(" <small>{}</small>", escape(cell.small));
  if (card && !cell.text.empty()) out += "</span>";
  return out + (first ? "</th>" : "</td>");
}

}  // namespace

std::string to_html(const Table& table) {
  const std::vector<std::vector<HtmlCell>> cells = cells_of(table);
  const bool cards = !fits_a_phone(table, cells);
  std::vector<bool> number;
  for (std::size_t column = 0; column < cells.size(); ++column) number.push_back(is_numeric(table, column));
  const bool numbers = std::find(number.begin() + 1, number.end(), false) == number.end();
  std::string out = fmt::format("<table class=\"sortable{}\" aria-label=\"{}\">\n<thead><tr>",
                                !cards    ? ""
                                : numbers ? " stack flow"
                                          : " stack",
                                escape(table.title));
  for (std::size_t column = 0; column < cells.size(); ++column) {
    const char* kind = !number[column]                         ? ""
                       : table.columns[column].lower_is_better ? " class=\"n l\""
                                                               : " class=\"n\"";
    out += fmt::format("<th scope=\"col\"{}>{}</th>", kind, escape(heading(table.columns[column])));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const std::size_t row : row_order(table)) {
    out += "<tr>";
    for (std::size_t column = 0; column < cells.size(); ++column)
      out += cell_html(table.columns[column], number[column], cells[column][row], column == 0,
                       cards && column > 0);
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n";
}

}  // namespace markeval::report
