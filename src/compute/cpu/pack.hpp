// The packed layout of kernels.hpp, for kernel sources: panel[step][row][depth].
#pragma once

#include <cstddef>
#include <cstdint>

#include "compute/bf16.hpp"
#include "compute/cpu/simd.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

/// Rounds to nearest, ties to even; a NaN stays one.
[[maybe_unused]] inline std::uint16_t to_bf16(float value) {
  std::uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  if (value != value) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

typedef std::uint32_t FourWords __attribute__((vector_size(16)));

/// `kWordElements` neighbouring elements make a packed word of 32 bits; four words are converted at once.
struct AsFloat {
  using Source = float;
  using Packed = float;
  static constexpr std::size_t kWordElements = 1;
  static float convert(float value) { return value; }
  static FourWords convert_words(const float* from) {
    FourWords result;
    __builtin_memcpy(&result, from, sizeof result);
    return result;
  }
};
struct AsBf16 {
  using Source = float;
  using Packed = std::uint16_t;
  static constexpr std::size_t kWordElements = 2;
  static std::uint16_t convert(float value) { return to_bf16(value); }
  static FourWords convert_words(const float* from) {
    FourWords result;
#if defined(__AVX512BF16__)
    const __m128bh narrow = _mm256_cvtneps_pbh(_mm256_loadu_ps(from));
    __builtin_memcpy(&result, &narrow, sizeof result);
#elif defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
    const bfloat16x8_t narrow = vcvtq_high_bf16_f32(vcvtq_low_bf16_f32(vld1q_f32(from)), vld1q_f32(from + 4));
    __builtin_memcpy(&result, &narrow, sizeof result);
#else
    std::uint16_t narrow[8];
    for (std::size_t i = 0; i < 8; ++i) narrow[i] = to_bf16(from[i]);
    __builtin_memcpy(&result, narrow, sizeof result);
#endif
    return result;
  }
};
struct Bf16AsItIs {
  using Source = Bf16;
  using Packed = std::uint16_t;
  static constexpr std::size_t kWordElements = 2;
  static std::uint16_t convert(Bf16 value) { return value.bits; }
  static FourWords convert_words(const Bf16* from) {
    FourWords result;
    __builtin_memcpy(&result, from, sizeof result);
    return result;
  }
};
struct AsInt16 {
  using Packed = std::int16_t;
  static std::int16_t convert(std::int8_t value) { return value; }
};
struct AsInt8 {
  using Packed = std::int8_t;
  static std::int8_t convert(std::int8_t value) { return value; }
};

/// A strip of rows short enough for the first cache is packed at a time, so that the writes stay within few
/// lines.
template <typename As, std::size_t kRows, std::size_t kDepth, typename Element>
void pack_panel(const Element* rows, std::size_t stride, std::size_t count, std::size_t columns,
                std::size_t padded, void* panel) {
  constexpr std::size_t kStrip = 64;
  static_assert(kStrip % kDepth == 0);
  auto* const out = static_cast<typename As::Packed*>(panel);
  for (std::size_t begin = 0; begin < padded; begin += kStrip) {
    const std::size_t end = begin + kStrip < padded ? begin + kStrip : padded;
    const std::size_t filled = end < columns ? end : (begin < columns ? columns : begin);
    for (std::size_t row = 0; row < kRows; ++row) {
      std::size_t column = begin;
      if (row < count) {
        const Element* const in = rows + row * stride;
        for (; column + kDepth <= filled; column += kDepth) {
          for (std::size_t d = 0; d < kDepth; ++d) {
            out[(column * kRows) + row * kDepth + d] = As::convert(in[column + d]);
          }
        }
        for (; column < filled; ++column) {
          out[(column - column % kDepth) * kRows + row * kDepth + column % kDepth] = As::convert(in[column]);
        }
      }
      for (; column < end; ++column) {
        out[(column - column % kDepth) * kRows + row * kDepth + column % kDepth] = 0;
      }
    }
  }
}

/// As pack_panel with the depth of one word, for panels packed in every call: blocks of 4 x 4 words are
/// transposed in registers.
template <typename As, std::size_t kRows>
void pack_transposed(const typename As::Source* rows, std::size_t stride, std::size_t count,
                     std::size_t columns, std::size_t padded, void* panel) {
  constexpr std::size_t kDepth = As::kWordElements;
  static_assert(kRows % 2 == 0);
  if (count < kRows || columns < padded)
    return pack_panel<As, kRows, kDepth>(rows, stride, count, columns, padded, panel);
  auto* out = static_cast<std::uint32_t*>(panel);
  std::size_t column = 0;
  for (; column + 4 * kDepth <= columns; column += 4 * kDepth, out += 4 * kRows) {
#pragma GCC unroll 4
    for (std::size_t row = 0; row + 4 <= kRows; row += 4) {
      const auto* const in = rows + row * stride + column;
#pragma GCC unroll 4
      for (std::size_t i = 0; i < 4; ++i) __builtin_prefetch(in + i * stride + 64);
      const FourWords r0 = As::convert_words(in), r1 = As::convert_words(in + stride);
      const FourWords r2 = As::convert_words(in + 2 * stride), r3 = As::convert_words(in + 3 * stride);
      const FourWords low01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
      const FourWords high01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
      const FourWords low23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
      const FourWords high23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
      const FourWords columns_of_four[4] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                                            __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                                            __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                                            __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
#pragma GCC unroll 4
      for (std::size_t i = 0; i < 4; ++i) __builtin_memcpy(out + i * kRows + row, &columns_of_four[i], 16);
    }
    if constexpr (kRows % 4 == 2) {
      const auto* const in = rows + (kRows - 2) * stride + column;
      const FourWords r0 = As::convert_words(in), r1 = As::convert_words(in + stride);
#pragma GCC unroll 4
      for (std::size_t i = 0; i < 4; ++i) {
        out[i * kRows + kRows - 2] = r0[i];
        out[i * kRows + kRows - 1] = r1[i];
      }
    }
  }
  if (column < columns) {
    pack_panel<As, kRows, kDepth>(rows + column, stride, count, columns - column, padded - column, out);
  }
}

/// As pack_panel for a depth of whole words: pieces of a row are converted and moved as they are.
template <typename As, std::size_t kRows, std::size_t kDepth>
void pack_pieces(const typename As::Source* rows, std::size_t stride, std::size_t count, std::size_t columns,
                 std::size_t padded, void* panel) {
  constexpr std::size_t kPiece = 4 * As::kWordElements;  // elements converted at once
  using Packed = typename As::Packed;
  static_assert(kDepth % kPiece == 0 || kPiece % kDepth == 0);
  auto* const out = static_cast<Packed*>(panel);
  const std::size_t whole = columns / kPiece * kPiece / kDepth * kDepth;
  if (count < kRows || whole == 0)
    return pack_panel<As, kRows, kDepth>(rows, stride, count, columns, padded, panel);
  for (std::size_t row = 0; row < kRows; ++row) {
    const auto* const in = rows + row * stride;
    for (std::size_t column = 0; column < whole; column += kPiece) {
      const FourWords words = As::convert_words(in + column);
      constexpr std::size_t kLength = kDepth < kPiece ? kDepth : kPiece;
#pragma GCC unroll 4
      for (std::size_t part = 0; part < kPiece; part += kLength) {
        const std::size_t at = column + part;
        __builtin_memcpy(out + at / kDepth * kDepth * kRows + row * kDepth + at % kDepth,
                         reinterpret_cast<const Packed*>(&words) + part, kLength * sizeof(Packed));
      }
    }
  }
  if (whole < padded) {
    pack_panel<As, kRows, kDepth>(rows + whole, stride, count, columns - whole, padded - whole,
                                  out + whole * kRows);
  }
}

}  // namespace
}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
