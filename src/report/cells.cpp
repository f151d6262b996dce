// Number formats, and a table aligned by the width of its characters.
#include "report/cells.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <numeric>

#include "base/cancellation.hpp"
#include "base/quotation.hpp"

namespace markeval::report {

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::vector<std::size_t> best_first(const std::vector<double>& values, bool higher_is_better) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return higher_is_better ? values[a] > values[b] : values[a] < values[b];
  });
  return order;
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
  // A number alone has no other to differ from: four decimals do, but where they are all 0.
  const double fewest = values.size() == 1 ? 0.00005 : 0.001;
  if (narrowest == 0 && (largest == 0 || largest >= fewest)) return largest >= 10 ? 2 : 4;
  if (narrowest == 0) narrowest = largest / 10;
  std::size_t decimals = 1;
  for (double half = narrowest; half < 1 && decimals < 8; half *= 10) ++decimals;
  return decimals;
}

std::string fixed_number(double value, std::size_t decimals) {
  if (!std::isfinite(value)) return "infinite";
  if (decimals == kAllDigits) return all_digits(value);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find_first_not_of("-0.") == std::string::npos && text.front() == '-') text.erase(0, 1);
  return text;
}

std::string interval_text(const Interval& interval, std::size_t decimals) {
  return fmt::format("[{}, {}]", fixed_number(interval.low, decimals), fixed_number(interval.high, decimals));
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return "infinite";
  return fmt::format("{:.4f}", value);
}

std::string probability(const std::optional<double>& value) {
  if (!value) return "-";
  return *value < 0.001 ? "<0.001" : fmt::format("{:.3f}", *value);
}

std::string few_names(const std::vector<std::string>& names, const std::string& many, std::size_t most) {
  if (names.size() > most) return fmt::format("{} {}", names.size(), many);
  if (names.size() == 1) return names.front();
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

std::string all_digits(double value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

std::string tsv_field(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return printable(text);
}

std::string wrapped(const std::string& text, std::size_t width) {
  if (width == 0 || characters(text) <= width) return text;
  std::string out, line;
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const std::size_t letters = characters(word);  // what is wider than a line may as well begin on this one
    if (!line.empty() && characters(line) + 1 + letters > width && letters <= width) {
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
    check_cancelled();
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
