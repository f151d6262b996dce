// float32 product in plain C++: small enough a tile for sixteen registers of four floats.
#include "compute/cpu/kernels.hpp"
#include "compute/cpu/pack.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

constexpr std::size_t kRows = 4, kColumns = 8;
typedef float Four __attribute__((vector_size(16)));

void multiply(LeftRows left, const void* right, std::size_t length, float* tile, bool accumulate,
              TileTarget) {
  const float* a = static_cast<const float*>(left.data);
  const float* b = static_cast<const float*>(right);
  Four sum[kRows][2];
#pragma GCC unroll 4
  for (std::size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 2
    for (std::size_t part = 0; part < 2; ++part) {
      sum[row][part] = Four{};
      if (accumulate) __builtin_memcpy(&sum[row][part], tile + row * kColumns + part * 4, 16);
    }
  }
  for (std::size_t k = 0; k < length; ++k, a += kRows, b += kColumns) {
    Four column[2];
    __builtin_memcpy(column, b, sizeof column);
#pragma GCC unroll 4
    for (std::size_t row = 0; row < kRows; ++row) {
      sum[row][0] += column[0] * a[row];
      sum[row][1] += column[1] * a[row];
    }
  }
#pragma GCC unroll 4
  for (std::size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 2
    for (std::size_t part = 0; part < 2; ++part)
      __builtin_memcpy(tile + row * kColumns + part * 4, &sum[row][part], 16);
  }
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
