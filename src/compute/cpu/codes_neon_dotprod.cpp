// Product of int8 rows by sdot: four products per lane, 8 x 12 sums in 24 registers.
#include <arm_neon.h>

#include <cstddef>

#include "compute/cpu/kernels.hpp"
#include "compute/cpu/pack.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

constexpr std::size_t kRows = 8, kColumns = 12, kDepth = 4;

void multiply(const void* query, const void* base, std::size_t length, std::int32_t* tile) {
  const auto* a = static_cast<const std::int8_t*>(query);
  const auto* b = static_cast<const std::int8_t*>(base);
  int32x4_t sum[kRows][3];
#pragma GCC unroll 8
  for (std::size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 3
    for (std::size_t part = 0; part < 3; ++part) sum[row][part] = vdupq_n_s32(0);
  }
  for (std::size_t k = 0; k < length; k += kDepth, a += kRows * kDepth, b += kColumns * kDepth) {
    const int8x16_t a0 = vld1q_s8(a), a1 = vld1q_s8(a + 16);
    const int8x16_t b0 = vld1q_s8(b), b1 = vld1q_s8(b + 16), b2 = vld1q_s8(b + 32);
#define MARKEVAL_ROW(row, values, lane)                         \
  sum[row][0] = vdotq_laneq_s32(sum[row][0], b0, values, lane); \
  sum[row][1] = vdotq_laneq_s32(sum[row][1], b1, values, lane); \
  sum[row][2] = vdotq_laneq_s32(sum[row][2], b2, values, lane)
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
#pragma GCC unroll 8
  for (std::size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 3
    for (std::size_t part = 0; part < 3; ++part) vst1q_s32(tile + row * kColumns + part * 4, sum[row][part]);
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
