// bf16 product by bfmmla, which multiplies 2 rows by 2 rows over 4 elements: 8 x 12 float32 sums in 24
// registers.
#include <arm_neon.h>

#include "compute/cpu/kernels.hpp"
#include "compute/cpu/pack.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

constexpr std::size_t kRows = 8, kColumns = 12, kDepth = 4;

void multiply(LeftRows left, const void* right, std::size_t length, float* tile, bool accumulate,
              TileTarget) {
  const auto* a = static_cast<const bfloat16_t*>(left.data);
  const auto* b = static_cast<const bfloat16_t*>(right);
  float32x4_t sum[kRows / 2][kColumns / 2];  // each 2 x 2, row-major
  if (accumulate) {
#pragma GCC unroll 4
    for (std::size_t row = 0; row < kRows / 2; ++row) {
      const float* const even = tile + 2 * row * kColumns;
#pragma GCC unroll 6
      for (std::size_t column = 0; column < kColumns / 2; ++column) {
        sum[row][column] = vcombine_f32(vld1_f32(even + 2 * column), vld1_f32(even + kColumns + 2 * column));
      }
    }
  } else {
#pragma GCC unroll 4
    for (std::size_t row = 0; row < kRows / 2; ++row) {
#pragma GCC unroll 6
      for (std::size_t column = 0; column < kColumns / 2; ++column) sum[row][column] = vdupq_n_f32(0);
    }
  }
  for (std::size_t k = 0; k < length; k += kDepth, a += kRows * kDepth, b += kColumns * kDepth) {
    __builtin_prefetch(a + 8 * kRows * kDepth);
    __builtin_prefetch(b + 8 * kColumns * kDepth);
    const bfloat16x8_t a0 = vld1q_bf16(a), a1 = vld1q_bf16(a + 8), a2 = vld1q_bf16(a + 16),
                       a3 = vld1q_bf16(a + 24);
#pragma GCC unroll 6
    for (std::size_t column = 0; column < kColumns / 2; ++column) {
      const bfloat16x8_t values = vld1q_bf16(b + 8 * column);
      sum[0][column] = vbfmmlaq_f32(sum[0][column], a0, values);
      sum[1][column] = vbfmmlaq_f32(sum[1][column], a1, values);
      sum[2][column] = vbfmmlaq_f32(sum[2][column], a2, values);
      sum[3][column] = vbfmmlaq_f32(sum[3][column], a3, values);
    }
  }
#pragma GCC unroll 4
  for (std::size_t row = 0; row < kRows / 2; ++row) {
    float* const even = tile + 2 * row * kColumns;
#pragma GCC unroll 6
    for (std::size_t column = 0; column < kColumns / 2; ++column) {
      vst1_f32(even + 2 * column, vget_low_f32(sum[row][column]));
      vst1_f32(even + kColumns + 2 * column, vget_high_f32(sum[row][column]));
    }
  }
}

}  // namespace

extern const GemmKernel kGemmBf16;
const GemmKernel kGemmBf16{.left = {kRows, kDepth},
                           .right = {kColumns, kDepth},
                           .depth = kDepth,
                           .element_bytes = 2,
                           .input_block = 4096,
                           .row_block = 64,
                           .pack_left = pack_pieces<AsBf16, kRows, kDepth>,
                           .pack_left_bf16 = pack_pieces<Bf16AsItIs, kRows, kDepth>,
                           .pack_right = pack_panel<AsBf16, kColumns, kDepth, float>,
                           .multiply = multiply};

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
