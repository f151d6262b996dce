// Parsing of the layer option, and the table of default layers of common models.
#include "metric/layer_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/plain_text.hpp"

namespace markeval::metric {
namespace {

constexpr DefaultLayer kDefaultLayers[] = {
#include "metric/default_layers.inc"
};

/// "FacebookAI/roberta-large" -> "roberta-large"
std::string_view without_owner(std::string_view name) {
  return name.substr(name.rfind('/') + 1);
}

}  // namespace

std::vector<std::size_t> choose_layers(std::string_view text, std::size_t last) {
  const auto fail = [&](std::string_view part) {
    throw_usage(fmt::format(
        "layers '{}': '{}' names no layer of 0 to {}; expected a number, last, last5, 2-6 or 1+3+6", text,
        part, last));
  };
  const auto one = [&](std::string_view part) {
    const auto value = read_number<long>(part);
    const long layer = !value ? -1 : *value < 0 ? static_cast<long>(last) + 1 + *value : *value;
    if (layer < 0 || layer > static_cast<long>(last)) fail(part);
    return static_cast<std::size_t>(layer);
  };
  std::set<std::size_t> chosen;
  for (const std::string_view part : parts_of(text, '+')) {
    const std::size_t dash = part.find('-', 1);
    if (part.starts_with("last")) {
      const auto count = part == "last" ? 1 : read_number<long>(part.substr(4)).value_or(0);
      if (count < 1) fail(part);
      const std::size_t blocks = std::max<std::size_t>(last, 1);
      const std::size_t taken = std::min(static_cast<std::size_t>(count), blocks);
      for (std::size_t layer = last + 1 - taken; layer <= last; ++layer) chosen.insert(layer);
    } else if (dash != std::string_view::npos) {
      const std::size_t from = one(part.substr(0, dash));
      const std::size_t to = one(part.substr(dash + 1));
      if (from > to) fail(part);
      for (std::size_t layer = from; layer <= to; ++layer) chosen.insert(layer);
    } else {
      chosen.insert(one(part));
    }
  }
  return {chosen.begin(), chosen.end()};
}

std::size_t choose_layer(std::string_view metric, std::string_view text, std::size_t last) {
  if (text == "last") return last;
  const long value = read_number<long>(text).value_or(static_cast<long>(last) + 1);
  const long layer = value < 0 ? static_cast<long>(last) + 1 + value : value;
  if (layer < 0 || layer > static_cast<long>(last)) {
    throw_usage(fmt::format("{}: layer='{}', expected one layer of 0 to {}, -1 to {} from the end, or last",
                            metric, text, last, -static_cast<long>(last) - 1));
  }
  return static_cast<std::size_t>(layer);
}

void check_layer(std::string_view metric, std::string_view text) {
  if (text == "last" || text == "tuned" || read_number<long>(text)) return;
  throw_usage(fmt::format("{}: layer='{}', expected one layer: its number, -1 from the end, last or tuned",
                          metric, text));
}

std::optional<DefaultLayer> default_layer(std::span<const std::string> names, std::size_t last) {
  for (const std::string& name : names) {
    for (const DefaultLayer& known : kDefaultLayers) {
      if (without_owner(known.model) == without_owner(name) && known.layer <= last) return known;
    }
  }
  return std::nullopt;
}

std::optional<DefaultLayer> default_layer(const embed::VectorSource& source) {
  return default_layer(source.known_names(), source.last_layer());
}

std::span<const DefaultLayer> default_layers() {
  return kDefaultLayers;
}

}  // namespace markeval::metric
