// Tables as aligned text, Markdown and LaTeX.
#include "report/table_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/quotation.hpp"
#include "report/cells.hpp"

namespace markeval::report {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kWidth = 80;

/// Behind a number: better or worse than the first system.
const char* mark_of(Verdict verdict, TableStyle style) {
  if (verdict == Verdict::not_separated) return style == TableStyle::text ? " " : "";
  const bool better = verdict == Verdict::better;
  if (style == TableStyle::latex) return better ? "$^{*}$" : "$^{\\dagger}$";
  if (style == TableStyle::markdown) return better ? " \\*" : " \u2020";
  return better ? "*" : "\u2020";
}

std::string bold(const std::string& text, TableStyle style) {
  if (style == TableStyle::markdown) return "**" + text + "**";
  return style == TableStyle::latex ? "\\textbf{" + text + "}" : text;
}

std::vector<std::string> column_text(const Table& table, std::size_t which, const TextOptions& options) {
  const ReportColumn& column = table.columns[which];
  const TableStyle style = options.style;
  const std::size_t decimals = decimals_of(table, which, options.digits);
  const bool intervals = !table.brief || (style != TableStyle::text && !table.tested);
  const bool marks = table.tested && column.kind == CellKind::number;
  const std::vector<std::size_t> best = rows_in_bold(table, which, options.digits);
  std::vector<std::string> cells{escaped(heading(column), style) +
                                 (marks && style == TableStyle::text ? " " : "")};
  for (const std::size_t row : row_order(table)) {
    const Cell& cell = table.rows[row][which];
    std::string text = escaped(shown(cell, column, decimals), style);
    if (std::ranges::find(best, row) != best.end()) text = bold(text, style);
    if (cell.interval && intervals) text += " " + interval_text(*cell.interval, decimals);
    if (cell.spread && !table.brief) text += " \u00b1 " + fixed_number(*cell.spread, decimals);
    if (!cell.note.empty()) text += " " + cell.note;
    cells.push_back(marks ? text + mark_of(cell.verdict, style) : text);
  }
  return cells;
}

std::string markdown(const Rows& rows) {
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += fmt::format("| {} |\n", fmt::join(rows[i], " | "));
    if (i > 0) continue;
    out += "|---";
    for (std::size_t column = 1; column < rows[0].size(); ++column) out += "|--:";
    out += "|\n";
  }
  return out;
}

std::string latex(const Rows& rows) {
  std::string out =
      fmt::format("\\begin{{tabular}}{{l{}}}\n\\toprule\n", std::string(rows[0].size() - 1, 'r'));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += fmt::format("{} \\\\\n", fmt::join(rows[i], " & "));
    if (i == 0) out += "\\midrule\n";
  }
  return out + "\\bottomrule\n\\end{tabular}\n";
}

/// Numbers with words behind them: points stand below each other, and the column is flush left.
void line_up(Rows& rows, std::size_t column) {
  std::size_t number = 0, widest = characters(rows.front()[column]);
  for (auto row = rows.begin() + 1; row != rows.end(); ++row)
    number = std::max(number, (*row)[column].substr(0, (*row)[column].find(' ')).size());
  for (auto row = rows.begin() + 1; row != rows.end(); ++row) {
    std::string& cell = (*row)[column];
    cell.insert(0, number - cell.substr(0, cell.find(' ')).size(), ' ');
    widest = std::max(widest, cell.size());
  }
  for (auto& row : rows) row[column].append(widest - characters(row[column]), ' ');
}

/// As many columns side by side as fit; the names are repeated before those that go on below.
std::string in_parts(const Rows& rows, std::size_t most) {
  std::string out;
  for (std::size_t column = 1; column < rows[0].size();) {
    Rows part;
    for (const auto& row : rows) part.push_back({row[0]});
    std::string aligned;
    for (; column < rows[0].size(); ++column) {
      Rows wider = part;
      for (std::size_t i = 0; i < rows.size(); ++i) wider[i].push_back(rows[i][column]);
      const std::string text = align(wider, 1);
      std::size_t width = 0;
      for (std::size_t start = 0; start < text.size(); start = text.find('\n', start) + 1)
        width = std::max(width, text.find('\n', start) - start);
      if (width > most && part[0].size() > 1) break;
      part = std::move(wider);
      aligned = text;
    }
    if (!out.empty()) out += "\n";
    out += aligned;
  }
  return out;
}

}  // namespace

std::string escaped(const std::string& text, TableStyle style) {
  std::string out;
  for (const char c : printable(text)) {
    if (style == TableStyle::latex && std::string_view("&%$#_{}").find(c) != std::string_view::npos)
      out += '\\';
    if (style == TableStyle::markdown && (c == '|' || c == '*' || c == '_' || c == '`')) out += '\\';
    if (style == TableStyle::latex && (c == '\\' || c == '^' || c == '~')) {
      out += fmt::format("\\char`\\{}", c);
    } else {
      out += c;
    }
  }
  const std::size_t arrow = style == TableStyle::latex ? out.find(kLowerIsBetter) : std::string::npos;
  return arrow == std::string::npos
             ? out
             : out.replace(arrow, std::string_view(kLowerIsBetter).size(), " $\\downarrow$");
}

std::string to_text(const Table& table, const TextOptions& options) {
  Rows rows(table.rows.size() + 1);
  std::size_t left = table.columns.size();
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const std::vector<std::string> cells = column_text(table, column, options);
    for (std::size_t row = 0; row < rows.size(); ++row) rows[row].push_back(cells[row]);
    if (is_numeric(table, column)) left = std::min(left, column);
  }
  if (options.style == TableStyle::markdown) return markdown(rows);
  if (options.style == TableStyle::latex) return latex(rows);
  for (std::size_t column = 1; column < table.columns.size(); ++column) {
    if (std::ranges::any_of(table.rows, [&](const auto& row) { return !row[column].note.empty(); }))
      line_up(rows, column);
  }
  return table.in_parts ? in_parts(rows, options.line_width > 0 ? options.line_width : kWidth)
                        : align(std::move(rows), left);
}

}  // namespace markeval::report
