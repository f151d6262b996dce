// The one check of a value against its description, and the words for what was expected.
#include "base/option.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/plain_text.hpp"
#include "base/quotation.hpp"
#include "base/suggestion.hpp"

namespace markeval {
namespace {

bool fits(const Option& option, std::uint64_t number) {
  return number >= option.least && number <= option.most;
}

bool fits(const Option& option, double number) {
  const auto& [least, most, above, below] = option.range;
  return std::isfinite(number) && (above ? number > least : number >= least) &&
         (below ? number < most : number <= most);
}

/// "0 to 100", and what joins it to "a number"; nothing where any number fits.
struct RangeWords {
  std::string_view joint;
  std::string range;
};
RangeWords words_of(const Option& option) {
  if (option.kind == ValueKind::count) return {" from ", fmt::format("{} to {}", option.least, option.most)};
  const auto& [least, most, above, below] = option.range;
  if (option.kind != ValueKind::real || least == RealRange{}.least) return {};
  if (most == RealRange{}.most) return {" of ", fmt::format("{} or more", least)};
  if (above && below) return {" ", fmt::format("between {} and {}", least, most)};
  if (above) return {" ", fmt::format("above {}, at most {}", least, most)};
  return {" from ", fmt::format("{} to {}{}", least, below ? "below " : "", most)};
}

[[noreturn]] void refuse(const Option& option, std::string_view found) {
  throw_usage(fmt::format("{}, expected {}", found, expected_value(option)));
}

}  // namespace

std::string shown(const OptionValue& value) {
  return std::visit([](const auto& held) { return fmt::format("{}", held); }, value);
}

std::string possible_values(const Option& option) {
  if (option.names_file) return "text";
  if (!option.choices.empty()) return fmt::format("{}", fmt::join(option.choices, " | "));
  const std::string range = words_of(option).range;
  return range.empty() ? option.kind == ValueKind::real ? "a number" : "text" : range;
}

std::string expected_value(const Option& option) {
  static constexpr const char* kKinds[] = {"true or false",  "a whole number", "a number",
                                           "a whole number", "a string",       "a list of strings"};
  const auto [joint, range] = words_of(option);
  return option.expected.empty() ? fmt::format("{}{}{}", kKinds[static_cast<int>(option.kind)], joint, range)
                                 : option.expected;
}

void require_fit(const Option& option, std::string_view called, std::uint64_t number) {
  if (!fits(option, number)) refuse(option, fmt::format("{} is {}", called, number));
}

void require_fit(const Option& option, std::string_view called, double number) {
  if (!fits(option, number)) refuse(option, fmt::format("{} is {}", called, number));
}

void require_fit(const Option& option, std::string_view called, const std::string& word,
                 std::string_view where) {
  if (std::find(option.choices.begin(), option.choices.end(), word) != option.choices.end()) return;
  if (option.names_file && word.empty()) refuse(option, fmt::format("{}{} is empty", where, called));
  if (option.names_file || option.choices.empty()) return;
  if (option.name == "device" && (word == "gpu" || word == "GPU"))
    throw_usage(fmt::format("unknown {} 'gpu': the GPU is called cuda", called));
  const std::string subject = where.empty() ? fmt::format("{} {}", called, in_quotes(word))
                                            : fmt::format("value {} for {}", in_quotes(word), called);
  throw_usage(fmt::format("{}unknown {}{}", where, subject, suggestion(word, option.choices)));
}

OptionValue parse_value(const Option& option, std::string_view called, const std::string& typed,
                        std::string_view where) {
  const auto fitting = [&](const auto& number) -> OptionValue {
    if (!number || !fits(option, *number))
      refuse(option, fmt::format("{}{}{}{}", where, called, where.empty() ? " " : "=", in_quotes(typed)));
    return *number;
  };
  if (option.kind == ValueKind::count) return fitting(read_number<std::uint64_t>(typed));
  if (option.kind == ValueKind::real) return fitting(read_number<double>(typed));
  require_fit(option, called, typed, where);
  return typed;
}

}  // namespace markeval
