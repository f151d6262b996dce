// float16 as word vectors are stored: half the memory of float32, and 11 bits are more than frozen vectors of
// an encoder need. Values beyond the largest float16 become that.
#pragma once

#include <bit>
#include <cstdint>

namespace markeval::trained {

using Half = std::uint16_t;

/// Rounds to nearest, ties to even.
inline Half to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<Half>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude >= 0x477ff000u) return static_cast<Half>(sign | 0x7bffu);  // rounds beyond 65504
  if (magnitude < 0x38800000u) {                                           // subnormal: multiples of 2^-24
    const float scaled = std::bit_cast<float>(magnitude) + 0.5f;           // 2^-24 is the last bit of 0.5f
    return static_cast<Half>(sign | (std::bit_cast<std::uint32_t>(scaled) - 0x3f000000u));
  }
  const std::uint32_t rounded = magnitude + 0x0fffu + ((magnitude >> 13) & 1u);
  return static_cast<Half>(sign | ((rounded - 0x38000000u) >> 13));
}

/// Exact, for what to_half() gives. Without a branch, so that loops over it become vector code.
inline float from_half(Half half) {
  const std::uint32_t wide = half;
  const float magnitude = std::bit_cast<float>((wide & 0x7fffu) << 13) * 0x1.0p112f;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | ((wide & 0x8000u) << 16));
}

}  // namespace markeval::trained
