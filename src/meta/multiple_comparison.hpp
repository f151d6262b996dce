// p-values adjusted for having made many tests at once. Absent ones stay absent and do not count as tests.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace markeval::meta {

enum class Correction {
  none,
  holm,                ///< Holm 1979: at most alpha probability of any false claim
  benjamini_hochberg,  ///< Benjamini and Hochberg 1995: at most alpha of the claims false on average
};

std::string_view name(Correction correction);
/// "none", "holm", "bh". Throws Error(usage) with the closest name for any other.
Correction correction_named(std::string_view text);

/// In the order given; a test is significant at level alpha if its adjusted value is at most alpha.
///   holm {0.01, 0.04, 0.03} -> {0.03, 0.06, 0.06}
/// Throws Error(invalid_input) for a p-value outside [0, 1].
std::vector<std::optional<double>> adjust(std::span<const std::optional<double>> p_values,
                                          Correction correction);

}  // namespace markeval::meta
