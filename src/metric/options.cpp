// Parsing of "name=value,name=value", checks against the list of options, and typed access.
#include "metric/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "base/suggestion.hpp"

namespace markeval::metric {
namespace {

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_real(std::string_view text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

void check_value(std::string_view metric, const OptionSpec& spec, const std::string& value) {
  if (spec.type != OptionType::text && value.find(':') != std::string::npos &&
      value.find('=') != std::string::npos) {
    throw_usage(fmt::format("{}: {}='{}': options are separated by commas, {}:{}={},...", metric, spec.name,
                            value, metric, spec.name, value.substr(0, value.find(':'))));
  }
  if (spec.type == OptionType::number) {
    const auto number = parse_number(value);
    if (!number || *number < spec.minimum || *number > spec.maximum) {
      throw_usage(fmt::format("{}: {}='{}', expected a whole number from {} to {}", metric, spec.name, value,
                              spec.minimum, spec.maximum));
    }
  } else if (spec.type == OptionType::real) {
    const auto real = parse_real(value);
    if (!(real && *real >= spec.least && *real <= spec.most) && value != spec.default_value) {
      const bool bounded = spec.most < std::numeric_limits<double>::max();
      throw_usage(fmt::format("{}: {}='{}', expected a number {}", metric, spec.name, value,
                              bounded ? fmt::format("from {} to {}", spec.least, spec.most)
                                      : fmt::format("of at least {}", spec.least)));
    }
  } else if (spec.type == OptionType::choice &&
             std::find(spec.choices.begin(), spec.choices.end(), value) == spec.choices.end()) {
    throw_usage(fmt::format("{}: unknown value '{}' for {}{}", metric, value, spec.name,
                            suggestion(value, spec.choices)));
  }
}

}  // namespace

OptionSpec text_option(std::string name, std::string default_value, std::string meaning) {
  OptionSpec spec;
  spec.name = std::move(name);
  spec.type = OptionType::text;
  spec.default_value = std::move(default_value);
  spec.meaning = std::move(meaning);
  return spec;
}

OptionSpec number_option(std::string name, std::uint64_t default_value, std::uint64_t minimum,
                         std::string meaning, std::uint64_t maximum) {
  OptionSpec spec = text_option(std::move(name), std::to_string(default_value), std::move(meaning));
  spec.type = OptionType::number;
  spec.minimum = minimum;
  spec.maximum = maximum;
  return spec;
}

OptionSpec real_option(std::string name, std::string default_value, std::string meaning, double least,
                       double most) {
  OptionSpec spec = text_option(std::move(name), std::move(default_value), std::move(meaning));
  spec.type = OptionType::real;
  spec.least = least;
  spec.most = most;
  return spec;
}

OptionSpec file_option(std::string name, std::vector<std::string> words, std::string meaning) {
  OptionSpec spec = text_option(std::move(name), words.front(), std::move(meaning));
  spec.choices = std::move(words);
  spec.names_file = true;
  return spec;
}

OptionSpec required_file(std::string name, const std::string& meaning) {
  OptionSpec spec = file_option(std::move(name), {""}, meaning + " (required)");
  spec.required = true;
  return spec;
}

OptionSpec choice_option(std::string name, std::vector<std::string> choices, std::string meaning) {
  OptionSpec spec = text_option(std::move(name), choices.front(), std::move(meaning));
  spec.type = OptionType::choice;
  spec.choices = std::move(choices);
  return spec;
}

OptionValues::OptionValues(std::string_view metric, std::span<const OptionSpec> specs, std::string_view given)
    : metric_(metric) {
  std::vector<std::string> names;
  for (const OptionSpec& spec : specs) {
    values_[spec.name] = spec.default_value;
    names.push_back(spec.name);
  }
  while (!given.empty()) {
    const std::string_view item = given.substr(0, given.find(','));
    given.remove_prefix(std::min(given.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos && std::find(names.begin(), names.end(), item) != names.end())
      throw_usage(fmt::format("{}: option '{}' has no value, expected {}=VALUE", metric, item, item));
    if (equals == std::string_view::npos) {
      throw_usage(
          fmt::format("{}: '{}' is no option, expected name=value{}", metric, item, suggestion(item, names)));
    }
    const std::string name(item.substr(0, equals));
    std::string value(item.substr(equals + 1));
    const auto spec =
        std::find_if(specs.begin(), specs.end(), [&](const OptionSpec& s) { return s.name == name; });
    if (spec == specs.end()) {
      throw_usage(fmt::format("{}: unknown option '{}'{}", metric, name, suggestion(name, names)));
    }
    if (given_.contains(name)) throw_usage(fmt::format("{}: option '{}' is given twice", metric, name));
    const auto takes = [&](const char* word) {
      return std::find(spec->choices.begin(), spec->choices.end(), word) != spec->choices.end();
    };
    if (value == "true" && takes("yes")) value = "yes";
    if (value == "false" && takes("no")) value = "no";
    check_value(metric, *spec, value);
    values_[name] = given_[name] = value;
  }
}

std::uint64_t OptionValues::number(const std::string& name) const {
  return parse_number(text(name)).value();
}

double OptionValues::real(const std::string& name) const {
  return parse_real(text(name)).value();
}

const std::string& OptionValues::text(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw_usage(fmt::format("{} has no option '{}'", metric_, name));
  return found->second;
}

void OptionValues::set_default(const std::string& name, const std::string& value) {
  if (!given(name)) values_.at(name) = value;
}

}  // namespace markeval::metric
