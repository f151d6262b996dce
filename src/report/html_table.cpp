// The width of the columns decides between a table and cards; long words get places to break.
#include "report/html_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "report/cells.hpp"
#include "report/html_text.hpp"

namespace markeval::report {
namespace {

constexpr double kPhoneRoom = 318;  ///< what a screen of 360 leaves between the margins
constexpr double kTextSize = 14.5;
constexpr double kCellPadding = 14;

/// Does it stand beside the other columns on a phone?
bool fits_a_phone(const HtmlTable& table) {
  double width = 0;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    double widest = text_width(table.columns[column].title, kTextSize) + 8;
    for (const auto& row : table.rows) {
      const HtmlCell& cell = row[column];
      const double text =
          cell.prose ? 400 : text_width(cell.text, kTextSize) + text_width(cell.small, kTextSize - 2);
      widest = std::max(widest, text);
    }
    width += widest + kCellPadding;
  }
  return width <= kPhoneRoom;
}

constexpr std::string_view kBreaks = "_/=";

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
  return std::any_of(text.begin(), text.end(), [&](char c) {
    length = c == ' ' || kBreaks.find(c) != std::string_view::npos ? 0 : length + 1;
    return length > kLong;
  });
}

/// `card`: in one piece, to stand beside its column's name.
std::string cell_html(const HtmlColumn& column, const HtmlCell& cell, bool first, bool card) {
  std::string classes = column.number ? "n" : "";
  if (cell.prose) classes += classes.empty() ? "p" : " p";
  if (cell.best) classes += classes.empty() ? "b" : " b";
  if (cell.code) classes += classes.empty() ? "c" : " c";
  if (has_long_word(cell.text)) classes += classes.empty() ? "a" : " a";
  std::string out = first ? "<th scope=\"row\"" : fmt::format("<td data-label=\"{}\"", escape(column.title));
  if (!classes.empty()) out += fmt::format(" class=\"{}\"", classes);
  if (cell.order) out += fmt::format(" data-v=\"{}\"", *cell.order);
  if (cell.prose) out += " dir=\"auto\"";
  out += card && !cell.text.empty() ? "><span>" : ">";
  out += column.number || cell.prose ? escape(cell.text) : breakable(cell.text);
  if (!cell.small.empty()) out += fmt::format(" <small>{}</small>", escape(cell.small));
  if (card && !cell.text.empty()) out += "</span>";
  return out + (first ? "</th>" : "</td>");
}

}  // namespace

HtmlCell text_cell(std::string_view text) {
  return {std::string(text)};
}
HtmlCell prose_cell(std::string_view text) {
  HtmlCell cell{std::string(text)};
  cell.prose = true;
  return cell;
}
HtmlCell code_cell(std::string_view text) {
  HtmlCell cell{std::string(text)};
  cell.code = true;
  return cell;
}
HtmlCell number_cell(double value) {
  HtmlCell cell{short_number(value)};
  if (std::isfinite(value)) cell.order = value;
  return cell;
}
HtmlCell number_cell(const std::optional<double>& value) {
  return value ? number_cell(*value) : HtmlCell{"-"};
}
HtmlCell count_cell(std::uint64_t count) {
  return {with_commas(count), static_cast<double>(count)};
}

std::string to_html(const HtmlTable& table) {
  const bool cards = !fits_a_phone(table);
  const bool numbers = std::all_of(table.columns.begin() + 1, table.columns.end(),
                                   [](const HtmlColumn& column) { return column.number; });
  std::string out = fmt::format("<table class=\"sortable{}\" aria-label=\"{}\">\n<thead><tr>",
                                !cards    ? ""
                                : numbers ? " stack flow"
                                          : " stack",
                                escape(table.name));
  for (const HtmlColumn& column : table.columns) {
    const char* kind = !column.number ? "" : column.lower_is_better ? " class=\"n l\"" : " class=\"n\"";
    out += fmt::format("<th scope=\"col\"{}>{}</th>", kind, escape(column.title));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const auto& row = table.rows[r];
    assert(row.size() == table.columns.size());
    out += r + table.quiet_rows < table.rows.size() ? "<tr>" : "<tr class=\"q\">";
    for (std::size_t i = 0; i < row.size(); ++i)
      out += cell_html(table.columns[i], row[i], i == 0, cards && i > 0);
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n";
}

}  // namespace markeval::report
