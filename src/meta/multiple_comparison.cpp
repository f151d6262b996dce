// The corrections of Holm and of Benjamini and Hochberg, over the sorted p-values.
#include "meta/multiple_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "base/error.hpp"
#include "base/suggestion.hpp"

namespace markeval::meta {

std::string_view name(Correction correction) {
  switch (correction) {
    case Correction::none:
      return "none";
    case Correction::holm:
      return "holm";
    case Correction::benjamini_hochberg:
      return "bh";
  }
  return "none";
}

Correction correction_named(std::string_view text) {
  for (const Correction correction : {Correction::none, Correction::holm, Correction::benjamini_hochberg}) {
    if (text == name(correction)) return correction;
  }
  const std::array<std::string, 3> known{"none", "holm", "bh"};
  throw_usage(fmt::format("unknown correction '{}'{}", text, suggestion(text, known)));
}

std::vector<std::optional<double>> adjust(std::span<const std::optional<double>> p_values,
                                          Correction correction) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p_values.size(); ++i) {
    if (!p_values[i]) continue;
    if (!(*p_values[i] >= 0 && *p_values[i] <= 1)) {
      throw_invalid(fmt::format("p-value {} of test {}, expected 0 to 1", *p_values[i], i + 1));
    }
    order.push_back(i);
  }
  std::vector<std::optional<double>> adjusted(p_values.begin(), p_values.end());
  if (correction == Correction::none) return adjusted;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return *p_values[a] < *p_values[b]; });
  const double tests = static_cast<double>(order.size());
  if (correction == Correction::holm) {
    double running = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      running =
          std::max(running, std::min(1.0, *p_values[order[rank]] * (tests - static_cast<double>(rank))));
      adjusted[order[rank]] = running;
    }
  } else {
    double running = 1;
    for (std::size_t rank = order.size(); rank-- > 0;) {
      running = std::min(running, *p_values[order[rank]] * tests / static_cast<double>(rank + 1));
      adjusted[order[rank]] = running;
    }
  }
  return adjusted;
}

}  // namespace markeval::meta
