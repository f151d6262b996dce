// The corrections of Holm and of Benjamini and Hochberg, over the sorted p-values.
#include "meta/multiple_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/error.hpp"
#include "meta/word_table.hpp"

namespace markeval::meta {
namespace {

constexpr WordTable<Correction, 3> kCorrectionNames{{
    {Correction::none, "none"},
    {Correction::holm, "holm"},
    {Correction::benjamini_hochberg, "bh"},
}};

}  // namespace

std::string_view name(Correction correction) {
  return word_of(kCorrectionNames, correction);
}

Correction correction_named(std::string_view text) {
  return value_named(kCorrectionNames, "correction", text);
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
  std::ranges::stable_sort(order, [&](auto a, auto b) { return *p_values[a] < *p_values[b]; });
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
