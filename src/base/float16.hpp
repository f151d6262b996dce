// float16, the one decoder and encoder of the project: tensors of a model, .npy files, word vectors that
// training keeps. Both are free of branches a compiler cannot turn into vector code.
#pragma once

#include <bit>
#include <cstdint>

namespace markeval {

using Half = std::uint16_t;  ///< the bits of an IEEE 754 binary16

/// Exact for all 65,536 values; infinities and NaN stay what they are.
inline float from_half(Half half) {
  const std::uint32_t magnitude = (half & 0x7fffu) << 13;
  // Read as float32 these bits are 2^112 too small, also where the float16 is subnormal.
  const auto scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1.0p112f);
  const std::uint32_t special = magnitude >= 0x0f800000u ? 0x7f800000u : 0u;  // exponent 31
  return std::bit_cast<float>(scaled | special | ((half & 0x8000u) << 16));
}

/// Rounds to nearest, ties to even. For finite values: what is beyond 65504, the largest float16, becomes it.
inline Half to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<Half>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t bounded = magnitude < 0x477fe000u ? magnitude : 0x477fe000u;  // 65504
  const std::uint32_t rounded = bounded + 0x0fffu + ((bounded >> 13) & 1u);
  const std::uint32_t normal = (rounded - 0x38000000u) >> 13;
  // A subnormal is a multiple of 2^-24, which is the last bit of 0.5f.
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(bounded) + 0.5f) - 0x3f000000u;
  return static_cast<Half>(sign | (bounded < 0x38800000u ? subnormal : normal));
}

}  // namespace markeval
