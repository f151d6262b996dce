// Number formats, and a table aligned by the width of its characters.
#include "report/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>

#include "base/quotation.hpp"

namespace markeval::report {

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return "infinite";
  return fmt::format("{:.4f}", value);
}

std::string short_number(const std::optional<double>& value) {
  return value ? short_number(*value) : "-";
}

std::string short_interval(const Interval& interval) {
  return fmt::format("[{}, {}]", short_number(interval.low), short_number(interval.high));
}

std::string probability(const std::optional<double>& value) {
  if (!value) return "-";
  return *value < 0.001 ? "<0.001" : fmt::format("{:.3f}", *value);
}

std::string all_digits(double value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

std::string tsv_field(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return printable(text);
}

std::string wrapped(const std::string& text, std::size_t width) {
  if (width == 0) return text;
  std::string out, line;
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!line.empty() && characters(line) + 1 + characters(word) > width) {
      out += line + "\n";
      line = word;
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
  }
  return out + line;
}

std::string align(std::vector<std::vector<std::string>> rows, std::size_t left_columns) {
  for (auto& row : rows) {
    for (std::string& cell : row) cell = printable(cell);
  }
  std::vector<std::size_t> widths(rows.empty() ? 0 : rows.front().size(), 0);
  for (const auto& row : rows) {
    assert(row.size() == widths.size());
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], characters(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - characters(row[i]), ' ');
      if (i > 0) line += "  ";
      line += i < left_columns ? row[i] + blanks : blanks + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace markeval::report
