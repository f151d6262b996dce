// float32 product for AVX2 (6 x 16 sums in 12 of 16 registers) and AVX-512 (12 x 32 in 24 of 32): elements of
// the left operand are broadcast.
#include "compute/cpu/kernels.hpp"
#include "compute/cpu/pack.hpp"
#include "compute/cpu/simd.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

constexpr std::size_t kRows = kLanes == 16 ? 12 : 6, kColumns = 2 * kLanes;

void multiply(const void* left, const void* right, std::size_t length, float* tile, bool accumulate) {
  const float* a = static_cast<const float*>(left);
  const float* b = static_cast<const float*>(right);
  Floats sum[kRows][2];
  // GCC 12 keeps the sums in memory unless these loops are unrolled as well.
  if (accumulate) {
#pragma GCC unroll 12
    for (std::size_t row = 0; row < kRows; ++row) {
      sum[row][0] = load(tile + row * kColumns);
      sum[row][1] = load(tile + row * kColumns + kLanes);
    }
  } else {
#pragma GCC unroll 12
    for (std::size_t row = 0; row < kRows; ++row) sum[row][0] = sum[row][1] = Floats{};
  }
  for (std::size_t k = 0; k < length; ++k, a += kRows, b += kColumns) {
    __builtin_prefetch(b + 16 * kColumns);
    __builtin_prefetch(b + 16 * kColumns + kLanes);
    const Floats b0 = load(b), b1 = load(b + kLanes);
#pragma GCC unroll 12
    for (std::size_t row = 0; row < kRows; ++row) {
      const Floats value = splat(a[row]);
      sum[row][0] = fused(value, b0, sum[row][0]);
      sum[row][1] = fused(value, b1, sum[row][1]);
    }
  }
#pragma GCC unroll 12
  for (std::size_t row = 0; row < kRows; ++row) {
    store(tile + row * kColumns, sum[row][0]);
    store(tile + row * kColumns + kLanes, sum[row][1]);
  }
}

}  // namespace

extern const GemmKernel kGemmF32;
const GemmKernel kGemmF32{.left = {kRows, 1},
                          .right = {kColumns, 1},
                          .depth = 1,
                          .element_bytes = sizeof(float),
                          .input_block = 768,
                          .pack_left = pack_transposed<AsFloat, kRows>,
                          .pack_right = pack_panel<AsFloat, kColumns, 1, float>,
                          .multiply = multiply};

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
