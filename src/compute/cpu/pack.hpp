// The packed layout of kernels.hpp, for kernel sources: panel[step][row][depth].
#pragma once

#include <cstddef>
#include <cstdint>

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

/// Rounds to nearest, ties to even; a NaN stays one.
[[maybe_unused]] inline std::uint16_t to_bf16(float value) {
  std::uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  if (value != value) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

struct AsFloat {
  using Packed = float;
  static float convert(float value) { return value; }
};
struct AsBf16 {
  using Packed = std::uint16_t;
  static std::uint16_t convert(float value) { return to_bf16(value); }
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

}  // namespace
}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
