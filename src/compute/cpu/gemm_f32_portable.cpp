// float32 product in plain C++: small enough a tile for sixteen registers of four floats.
#include "compute/cpu/kernels.hpp"
#include "compute/cpu/pack.hpp"
#include "compute/cpu/simd.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

constexpr std::size_t kRows = 4, kColumns = 8;
static_assert(kLanes == 4);

[[gnu::always_inline]] inline void add_step(Floats (&sum)[kRows][2], const float* a, const float* b) {
  Floats column[2];
  __builtin_memcpy(column, b, sizeof column);
#pragma GCC unroll 4
  for (std::size_t row = 0; row < kRows; ++row) {
    sum[row][0] = fused(column[0], splat(a[row]), sum[row][0]);
    sum[row][1] = fused(column[1], splat(a[row]), sum[row][1]);
  }
}

[[gnu::always_inline]] inline void write_tile(const Floats (&sum)[kRows][2], float* tile) {
#pragma GCC unroll 4
  for (std::size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 2
    for (std::size_t part = 0; part < 2; ++part)
      __builtin_memcpy(tile + row * kColumns + part * 4, &sum[row][part], 16);
  }
}

void multiply(LeftRows left, const void* right, std::size_t length, float* tile, bool accumulate,
              TileTarget) {
  const float* a = static_cast<const float*>(left.data);
  const float* b = static_cast<const float*>(right);
  Floats sum[kRows][2];
#pragma GCC unroll 4
  for (std::size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 2
    for (std::size_t part = 0; part < 2; ++part) {
      sum[row][part] = Floats{};
      if (accumulate) __builtin_memcpy(&sum[row][part], tile + row * kColumns + part * 4, 16);
    }
  }
  for (std::size_t k = 0; k < length; ++k, a += kRows, b += kColumns) add_step(sum, a, b);
  write_tile(sum, tile);
}

}  // namespace

extern const GemmKernel kGemmF32;
const GemmKernel kGemmF32{.left = {kRows, 1},
                          .right = {kColumns, 1},
                          .depth = 1,
                          .element_bytes = sizeof(float),
                          .input_block = 4096,
                          .row_block = 64,
                          .pack_left = pack_panel<AsFloat, kRows, 1, float>,
                          .pack_right = pack_panel<AsFloat, kColumns, 1, float>,
                          .multiply = multiply};

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
