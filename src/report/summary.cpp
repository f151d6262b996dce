// Order of the systems, number of decimals, marks of tests, and the table as text, Markdown or LaTeX.
#include "report/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/quotation.hpp"
#include "metric/registry.hpp"
#include "report/cells.hpp"

namespace markeval::report {
namespace {

constexpr std::size_t kWidth = 80;

double best_of(const SummaryColumn& column) {
  return column.higher_is_better ? *std::max_element(column.values.begin(), column.values.end())
                                 : *std::min_element(column.values.begin(), column.values.end());
}

/// A system's name may hold what LaTeX or Markdown takes for a command.
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
  return out;
}

/// Behind a number: better or worse than the first system.
const char* mark_of(Verdict verdict, TableStyle style) {
  if (verdict == Verdict::not_separated) return style == TableStyle::text ? " " : "";
  const bool better = verdict == Verdict::better;
  if (style == TableStyle::latex) return better ? "$^{*}$" : "$^{\\dagger}$";
  if (style == TableStyle::markdown) return better ? " \\*" : " \u2020";
  return better ? "*" : "\u2020";
}

std::string cell(const SummaryColumn& column, std::size_t system, const TextOptions& options) {
  const double value = column.values[system];
  const std::size_t decimals = options.digits.value_or(decimals_of(column));
  std::string text = fixed_number(value, decimals);
  if (!column.notes.empty()) return column.notes[system].empty() ? text : text + " " + column.notes[system];
  const bool best = column.values.size() > 1 && value == best_of(column);
  if (options.style == TableStyle::markdown && best) text = "**" + text + "**";
  if (options.style == TableStyle::latex && best) text = "\\textbf{" + text + "}";
  if (!column.verdicts.empty()) return text + mark_of(column.verdicts[system], options.style);
  const bool interval = options.style != TableStyle::text && system < column.intervals.size();
  return interval ? text + " " + interval_text(column.intervals[system], decimals) : text;
}

const char* arrow_of(TableStyle style) {
  return style == TableStyle::latex ? " $\\downarrow$" : " \u2193";
}

std::string heading_of(const SummaryColumn& column, TableStyle style) {
  const std::string named = escaped(column.title + (column.result.empty() ? "" : " " + column.result), style);
  return column.higher_is_better ? named : named + arrow_of(style);
}

std::string markdown(const std::vector<std::vector<std::string>>& rows) {
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

std::string latex(const std::vector<std::vector<std::string>>& rows) {
  std::string out =
      fmt::format("\\begin{{tabular}}{{l{}}}\n\\toprule\n", std::string(rows[0].size() - 1, 'r'));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += fmt::format("{} \\\\\n", fmt::join(rows[i], " & "));
    if (i == 0) out += "\\midrule\n";
  }
  return out + "\\bottomrule\n\\end{tabular}\n";
}

/// Numbers with words behind them: points stand below each other, and the column is flush left.
void line_up(std::vector<std::vector<std::string>>& rows, std::size_t column) {
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
std::string text_table(const std::vector<std::vector<std::string>>& rows) {
  std::string out;
  for (std::size_t column = 1; column < rows[0].size();) {
    std::vector<std::vector<std::string>> part;
    for (const auto& row : rows) part.push_back({row[0]});
    std::string aligned;
    for (; column < rows[0].size(); ++column) {
      std::vector<std::vector<std::string>> wider = part;
      for (std::size_t i = 0; i < rows.size(); ++i) wider[i].push_back(rows[i][column]);
      const std::string text = align(wider, 1);
      std::size_t width = 0;
      for (std::size_t start = 0; start < text.size(); start = text.find('\n', start) + 1)
        width = std::max(width, text.find('\n', start) - start);
      if (width > kWidth && part[0].size() > 1) break;
      part = std::move(wider);
      aligned = text;
    }
    if (!out.empty()) out += "\n";
    out += aligned;
  }
  return out;
}

}  // namespace

std::size_t main_index(const Result& result) {
  return index_of(result.scores, metric::find_metric(result.metric).main);
}

std::string told_result(const std::string& metric, const std::string& requested, const std::string& score) {
  const bool told = metric::find_metric(metric).results.size() == 1 || requested.ends_with("." + score);
  return told ? "" : score;
}

std::string heading(const SummaryColumn& column) {
  return heading_of(column, TableStyle::text);
}

std::vector<std::size_t> best_first(const std::vector<double>& values, bool higher_is_better) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return higher_is_better ? values[a] > values[b] : values[a] < values[b];
  });
  return order;
}

std::vector<std::size_t> row_order(const SummaryTable& table) {
  const SummaryColumn& first = table.columns.front();
  return table.order.empty() ? best_first(first.values, first.higher_is_better) : table.order;
}

std::string few_names(const std::vector<std::string>& names, const std::string& many, std::size_t most) {
  if (names.size() > most) return fmt::format("{} {}", names.size(), many);
  if (names.size() == 1) return names.front();
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

bool in_percent(const std::string& metric) {
  return metric::find_metric(metric).range.starts_with("0 to 100");
}

std::size_t decimals_of(const SummaryColumn& column) {
  return decimals_of(column.values, column.intervals, column.percent);
}

std::size_t decimals_of(const std::vector<double>& values, const std::vector<Interval>& intervals,
                        bool percent) {
  double narrowest = 0, largest = 0;
  for (const double value : values) largest = std::max(largest, std::isfinite(value) ? std::abs(value) : 0);
  for (const Interval& interval : intervals) {
    const double half = (interval.high - interval.low) / 2;
    if (half > 0 && std::isfinite(half) && (narrowest == 0 || half < narrowest)) narrowest = half;
  }
  if (narrowest == 0 && percent) return 2;
  if (narrowest == 0 && largest >= 0.01) return largest >= 10 ? 2 : 4;
  if (narrowest == 0 && largest == 0) return 4;
  if (narrowest == 0) narrowest = largest / 10;
  std::size_t decimals = 1;
  for (double half = narrowest; half < 1 && decimals < 8; half *= 10) ++decimals;
  return decimals;
}

std::string fixed_number(double value, std::size_t decimals) {
  if (!std::isfinite(value)) return "infinite";
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find_first_not_of("-0.") == std::string::npos && text.front() == '-') text.erase(0, 1);
  return text;
}

std::string interval_text(const Interval& interval, std::size_t decimals) {
  return fmt::format("[{}, {}]", fixed_number(interval.low, decimals), fixed_number(interval.high, decimals));
}

std::string write_table(const SummaryTable& table, const TextOptions& options) {
  const bool tested = !table.columns.front().verdicts.empty() && options.style == TableStyle::text;
  const SummaryColumn& first = table.columns.front();
  const bool by_group = table.corner != kSystems;  // then the corner names the metric, and columns groups
  std::vector<std::vector<std::string>> rows(1);
  rows[0].push_back(by_group ? heading_of({table.corner, first.higher_is_better, {}, {}, {}}, options.style)
                             : escaped(table.corner, options.style));
  for (const SummaryColumn& column : table.columns)
    rows[0].push_back((by_group ? escaped(column.title, options.style) : heading_of(column, options.style)) +
                      (tested ? " " : ""));
  for (const std::size_t system : row_order(table)) {
    rows.push_back({escaped(table.systems[system], options.style)});
    for (const SummaryColumn& column : table.columns) rows.back().push_back(cell(column, system, options));
  }
  switch (options.style) {
    case TableStyle::markdown:
      return markdown(rows);
    case TableStyle::latex:
      return latex(rows);
    case TableStyle::text:
      break;
  }
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    if (!table.columns[column].notes.empty()) line_up(rows, column + 1);
  }
  return text_table(rows);
}

std::string caption(const std::string& sentence, TableStyle style) {
  if (style == TableStyle::latex) return "% " + sentence + "\n";
  return sentence + (style == TableStyle::markdown ? "\n\n" : "\n");
}

std::string below_table(const std::string& sentence, TableStyle style) {
  if (style == TableStyle::latex) return "% " + printable(sentence) + "\n";
  return (style == TableStyle::markdown ? "\n" : "") + escaped(sentence, style) + "\n";
}

std::string about_marks(std::string_view table, const std::string& baseline, double alpha, TableStyle style) {
  const bool better = table.find(mark_of(Verdict::better, style)) != std::string_view::npos;
  const bool worse = table.find(mark_of(Verdict::worse, style)) != std::string_view::npos;
  if (!better && !worse) return "";
  return below_table(fmt::format("{}{}{} than {} (p adjusted <= {})", better ? "* better" : "",
                                 better && worse ? ", " : "", worse ? "\u2020 worse" : "", baseline, alpha),
                     style);
}

std::string about_arrow(std::string_view table, TableStyle style) {
  return table.find(arrow_of(style)) == std::string_view::npos ? ""
                                                               : below_table("\u2193 lower is better", style);
}

std::string signature_block(std::vector<std::string> signatures, const TextOptions& options) {
  std::set<std::string> seen;
  std::erase_if(signatures, [&](const std::string& one) { return one.empty() || !seen.insert(one).second; });
  if (signatures.empty()) return "";
  if (options.style == TableStyle::text && signatures.size() > 1 && !options.signatures)
    return fmt::format("\n{} signatures: {}\n", signatures.size(), options.signatures_stand);
  std::string out = "\n";
  for (const std::string& one : signatures) {
    const std::string line = tsv_field("signature: " + one);  // names of models and files are in it
    out += options.style == TableStyle::markdown ? fmt::format("<!-- {} -->\n", line)
           : options.style == TableStyle::latex  ? fmt::format("% {}\n", line)
                                                 : line + "\n";
  }
  return out;
}

std::string write_rows(const std::vector<std::vector<std::string>>& rows, TableStyle style) {
  if (style == TableStyle::text) return text_table(rows);
  std::vector<std::vector<std::string>> cells = rows;
  for (auto& row : cells) {
    for (std::string& cell : row) cell = escaped(cell, style);
  }
  return style == TableStyle::markdown ? markdown(cells) : latex(cells);
}

}  // namespace markeval::report
