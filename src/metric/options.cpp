// Reading of "name=value,name=value", and access to the values.
#include "metric/options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/suggestion.hpp"
#include "metric/foreign_words.hpp"

namespace markeval::metric {
namespace {

/// The value that somebody typed; a default may be typed too, also the empty one.
OptionValue parsed(std::string_view metric, const OptionSpec& spec, std::string typed) {
  const auto takes = [&](const char* word) {
    return std::ranges::find(spec.choices, word) != spec.choices.end();
  };
  if (typed == "true" && takes("yes")) typed = "yes";
  if (typed == "false" && takes("no")) typed = "no";
  const std::size_t colon = typed.find(':');
  const bool any_text = spec.kind == ValueKind::text && (spec.names_file || spec.choices.empty());
  if (!any_text && colon != std::string::npos && typed.find('=') != std::string::npos)
    throw_usage(fmt::format("{}: {}='{}': options are separated by commas, {}:{}={},...", metric, spec.name,
                            typed, metric, spec.name, typed.substr(0, colon)));
  if (typed == shown(spec.default_value)) return spec.default_value;
  return parse_value(spec, spec.name, typed, fmt::format("{}: ", metric));
}

}  // namespace

OptionSpec text_option(std::string name, std::string default_value, std::string meaning) {
  OptionSpec spec;
  spec.name = std::move(name);
  spec.default_value = std::move(default_value);
  spec.meaning = std::move(meaning);
  return spec;
}

OptionSpec count_option(std::string name, std::uint64_t default_value, std::uint64_t least,
                        std::string meaning, std::uint64_t most) {
  OptionSpec spec = text_option(std::move(name), "", std::move(meaning));
  spec.kind = ValueKind::count;
  spec.default_value = default_value;
  spec.least = least;
  spec.most = most;
  return spec;
}

OptionSpec real_option(std::string name, std::optional<double> default_value, std::string meaning,
                       RealRange range) {
  OptionSpec spec = text_option(std::move(name), "", std::move(meaning));
  spec.kind = ValueKind::real;
  if (default_value) spec.default_value = *default_value;
  spec.range = range;
  return spec;
}

OptionSpec file_option(std::string name, std::vector<std::string> words, std::string meaning) {
  OptionSpec spec = choice_option(std::move(name), std::move(words), std::move(meaning));
  spec.names_file = true;
  spec.expected = "a file";
  return spec;
}

OptionSpec required_file(std::string name, const std::string& meaning) {
  OptionSpec spec = file_option(std::move(name), {""}, meaning + " (required)");
  spec.required = true;
  return spec;
}

OptionSpec choice_option(std::string name, std::vector<std::string> choices, std::string meaning) {
  OptionSpec spec = text_option(std::move(name), choices.front(), std::move(meaning));
  spec.choices = std::move(choices);
  return spec;
}

OptionValues::OptionValues(std::string_view metric, std::span<const OptionSpec> specs, std::string_view given)
    : metric_(metric) {
  std::vector<std::string> names;
  for (const OptionSpec& spec : specs) {
    values_.push_back({spec.name, spec.default_value});
    names.push_back(spec.name);
  }
  while (!given.empty()) {
    const std::string_view item = given.substr(0, given.find(','));
    given.remove_prefix(std::min(given.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos && std::ranges::find(names, item) != names.end())
      throw_usage(fmt::format("{}: option '{}' has no value, expected {}=VALUE", metric, item, item));
    if (equals == std::string_view::npos) {
      throw_usage(
          fmt::format("{}: '{}' is no option, expected name=value{}", metric, item, suggestion(item, names)));
    }
    const std::string name(item.substr(0, equals));
    const auto found = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    if (found == names.size()) {
      const std::string answer = answer_to_option(name, names);
      throw_usage(fmt::format("{}: unknown option '{}'{}", metric, name,
                              answer.empty() ? suggestion(name, names) : answer));
    }
    Chosen& chosen = values_[found];
    if (chosen.given) throw_usage(fmt::format("{}: option '{}' is given twice", metric, name));
    chosen.value = parsed(metric, specs[found], std::string(item.substr(equals + 1)));
    chosen.given = true;
  }
}

const OptionValues::Chosen* OptionValues::find(std::string_view name) const {
  const auto found = std::ranges::find(values_, name, &Chosen::name);
  return found == values_.end() ? nullptr : &*found;
}

const OptionValues::Chosen& OptionValues::one(std::string_view name) const {
  if (const Chosen* found = find(name)) return *found;
  throw_usage(fmt::format("{} has no option '{}'", metric_, name));
}

bool OptionValues::given(std::string_view name) const {
  const Chosen* found = find(name);
  return found != nullptr && found->given;
}

void OptionValues::set_default(std::string_view name, const OptionValue& value) {
  for (Chosen& chosen : values_) {
    if (chosen.name == name && !chosen.given) chosen.value = value;
  }
}

}  // namespace markeval::metric
