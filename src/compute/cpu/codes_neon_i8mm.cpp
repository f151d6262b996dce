// Product of int8 rows by smmla, which multiplies 2 rows by 2 rows over 8 elements: 8 x 12 sums in 24
// registers.
#include <arm_neon.h>

#include "compute/cpu/kernels.hpp"
#include "compute/cpu/pack.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

constexpr std::size_t kRows = 8, kColumns = 12, kDepth = 8;

void multiply(const void* query, const void* base, std::size_t length, std::int32_t* tile) {
  const auto* a = static_cast<const std::int8_t*>(query);
  const auto* b = static_cast<const std::int8_t*>(base);
  int32x4_t sum[kRows / 2][kColumns / 2];  // each 2 x 2, row-major
#pragma GCC unroll 4
  for (std::size_t row = 0; row < kRows / 2; ++row) {
#pragma GCC unroll 6
    for (std::size_t column = 0; column < kColumns / 2; ++column) sum[row][column] = vdupq_n_s32(0);
  }
  for (std::size_t k = 0; k < length; k += kDepth, a += kRows * kDepth, b += kColumns * kDepth) {
    const int8x16_t a0 = vld1q_s8(a), a1 = vld1q_s8(a + 16), a2 = vld1q_s8(a + 32), a3 = vld1q_s8(a + 48);
#pragma GCC unroll 6
    for (std::size_t column = 0; column < kColumns / 2; ++column) {
      const int8x16_t values = vld1q_s8(b + 16 * column);
      sum[0][column] = vmmlaq_s32(sum[0][column], a0, values);
      sum[1][column] = vmmlaq_s32(sum[1][column], a1, values);
      sum[2][column] = vmmlaq_s32(sum[2][column], a2, values);
      sum[3][column] = vmmlaq_s32(sum[3][column], a3, values);
    }
  }
#pragma GCC unroll 4
  for (std::size_t row = 0; row < kRows / 2; ++row) {
    std::int32_t* const even = tile + 2 * row * kColumns;
#pragma GCC unroll 6
    for (std::size_t column = 0; column < kColumns / 2; ++column) {
      vst1_s32(even + 2 * column, vget_low_s32(sum[row][column]));
      vst1_s32(even + kColumns + 2 * column, vget_high_s32(sum[row][column]));
    }
  }
}

}  // namespace

extern const CodeKernel kCodes;
const CodeKernel kCodes{.query = {kRows, kDepth},
                        .base = {kColumns, kDepth},
                        .depth = kDepth,
                        .query_bytes = 1,
                        .base_bytes = 1,
                        .base_extra_bytes = 0,
                        .pack_query = pack_panel<AsInt8, kRows, kDepth, std::int8_t>,
                        .pack_base = pack_panel<AsInt8, kColumns, kDepth, std::int8_t>,
                        .multiply = multiply};

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
