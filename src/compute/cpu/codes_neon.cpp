// Product of int8 rows for NEON without dot products: widened to 16 bits, multiplied lane by lane, 8 x 12
// sums.
#include <arm_neon.h>

#include "compute/cpu/kernels.hpp"
#include "compute/cpu/pack.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

constexpr std::size_t kRows = 8, kColumns = 12;

void multiply(const void* query, const void* base, std::size_t length, std::int32_t* tile) {
  const auto* a = static_cast<const std::int16_t*>(query);
  const auto* b = static_cast<const std::int16_t*>(base);
  int32x4_t sum[kRows][3];
#pragma GCC unroll 8
  for (std::size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 3
    for (std::size_t part = 0; part < 3; ++part) sum[row][part] = vdupq_n_s32(0);
  }
  for (std::size_t k = 0; k < length; ++k, a += kRows, b += kColumns) {
    const int16x8_t values = vld1q_s16(a);
    const int16x4_t b0 = vld1_s16(b), b1 = vld1_s16(b + 4), b2 = vld1_s16(b + 8);
#define MARKEVAL_ROW(row)                                      \
  sum[row][0] = vmlal_laneq_s16(sum[row][0], b0, values, row); \
  sum[row][1] = vmlal_laneq_s16(sum[row][1], b1, values, row); \
  sum[row][2] = vmlal_laneq_s16(sum[row][2], b2, values, row)
    MARKEVAL_ROW(0);
    MARKEVAL_ROW(1);
    MARKEVAL_ROW(2);
    MARKEVAL_ROW(3);
    MARKEVAL_ROW(4);
    MARKEVAL_ROW(5);
    MARKEVAL_ROW(6);
    MARKEVAL_ROW(7);
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
const CodeKernel kCodes{.query = {kRows, 1},
                        .base = {kColumns, 1},
                        .depth = 1,
                        .query_bytes = 2,
                        .base_bytes = 2,
                        .base_extra_bytes = 0,
                        .pack_query = pack_panel<AsInt16, kRows, 1, std::int8_t>,
                        .pack_base = pack_panel<AsInt16, kColumns, 1, std::int8_t>,
                        .multiply = multiply};

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
