#include "report/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace markeval::report {

std::string short_number(double value) {
  if (!std::isfinite(value)) return "infinite";
  if (value != 0 && std::abs(value) < 0.001) return fmt::format("{:.3g}", value);
  return fmt::format("{:.4f}", value);
}

std::string probability(const std::optional<double>& value) {
  if (!value) return "-";
  return *value < 0.001 ? fmt::format("{:.2g}", *value) : fmt::format("{:.4f}", *value);
}

std::string all_digits(double value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

std::string tsv_field(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace markeval::report
