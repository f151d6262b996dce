// Is there NaN or infinity among these numbers?
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace markeval {

/// Looks at bits: a loop of comparisons between whole numbers becomes vector code, one between floats does
/// not.
inline bool all_finite(std::span<const float> values) {
  constexpr std::uint32_t kExponent = 0x7f800000;  // all ones: NaN or infinity
  std::uint32_t bad = 0;
  for (const float value : values)
    bad |= (std::bit_cast<std::uint32_t>(value) & kExponent) == kExponent ? 1u : 0u;
  return bad == 0;
}

}  // namespace markeval
