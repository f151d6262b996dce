// float32 product for NEON: 8 x 12 sums in 24 registers, the left operand multiplied lane by lane.
#include <arm_neon.h>

#include "compute/cpu/kernels.hpp"
#include "compute/cpu/pack.hpp"
#include "compute/cpu/write_target.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

constexpr std::size_t kRows = 8, kColumns = 12;
constexpr std::size_t kAhead = 16;  // steps; measured on Neoverse-N1: 1.5 % over no prefetch

/// One step: a row of the left panel times a row of the right one.
[[gnu::always_inline]] inline void add_step(Floats (&sum)[kRows][3], const float* a, const float* b) {
  const float32x4_t a0 = vld1q_f32(a), a1 = vld1q_f32(a + 4);
  const float32x4_t b0 = vld1q_f32(b), b1 = vld1q_f32(b + 4), b2 = vld1q_f32(b + 8);
#define MARKEVAL_ROW(row, values, lane)                         \
  sum[row][0] = vfmaq_laneq_f32(sum[row][0], b0, values, lane); \
  sum[row][1] = vfmaq_laneq_f32(sum[row][1], b1, values, lane); \
  sum[row][2] = vfmaq_laneq_f32(sum[row][2], b2, values, lane)
  MARKEVAL_ROW(0, a0, 0);
  MARKEVAL_ROW(1, a0, 1);
  MARKEVAL_ROW(2, a0, 2);
  MARKEVAL_ROW(3, a0, 3);
  MARKEVAL_ROW(4, a1, 0);
  MARKEVAL_ROW(5, a1, 1);
  MARKEVAL_ROW(6, a1, 2);
  MARKEVAL_ROW(7, a1, 3);
#undef MARKEVAL_ROW
}

/// GCC 12 keeps the sums in memory unless these loops are unrolled as well.
[[gnu::always_inline]] inline void begin_sums(Floats (&sum)[kRows][3], const float* tile, bool accumulate) {
  if (accumulate) {
#pragma GCC unroll 8
    for (std::size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 3
      for (std::size_t part = 0; part < 3; ++part)
        sum[row][part] = vld1q_f32(tile + row * kColumns + part * 4);
    }
  } else {
#pragma GCC unroll 8
    for (std::size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 3
      for (std::size_t part = 0; part < 3; ++part) sum[row][part] = vdupq_n_f32(0);
    }
  }
}

void multiply(LeftRows left, const void* right, std::size_t length, float* tile, bool accumulate,
              TileTarget target) {
  const float* a = static_cast<const float*>(left.data);
  const float* b = static_cast<const float*>(right);
  // Lines of the result come while the sums are made: 0.5 % on Neoverse-N1.
#pragma GCC unroll 8
  for (std::size_t row = 0; row < kRows; ++row) {
    const char* const line = static_cast<const char*>(target.data) + row * target.stride;
    __builtin_prefetch(line, 1);
    __builtin_prefetch(line + (kColumns - 1) * sizeof(float), 1);
  }
  // What comes next, a few bytes at every step: 0.3 %. Asking for null would take as long as six steps.
  const std::byte* ahead = target.ahead.count > 0 ? target.ahead.begin : static_cast<const std::byte*>(right);
  const std::size_t ahead_step = target.ahead.count * kLine / (length + 1);
  Floats sum[kRows][3];
  begin_sums(sum, tile, accumulate);
#pragma GCC unroll 4
  for (std::size_t k = 0; k < length; ++k, a += kRows, b += kColumns, ahead += ahead_step) {
    __builtin_prefetch(a + kAhead * kRows);
    __builtin_prefetch(b + kAhead * kColumns);
    __builtin_prefetch(ahead, 0, 2);
    add_step(sum, a, b);
  }
  write_sums(sum, tile, target);
}

}  // namespace

extern const GemmKernel kGemmF32;
const GemmKernel kGemmF32{.left = {kRows, 1},
                          .right = {kColumns, 1},
                          .depth = 1,
                          .element_bytes = sizeof(float),
                          .input_block = 4096,
                          .row_block = 64,
                          .pack_left = pack_transposed<AsFloat, kRows>,
                          .pack_right = pack_transposed<AsFloat, kColumns>,
                          .multiply = multiply,
                          .finishes = true};

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
