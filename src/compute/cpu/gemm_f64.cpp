// float64 product. Every sum is made in order, a product rounded before it is added: not all instruction sets
// can fuse the two, and all must give the same bits. Compiled once per instruction set: see cmake/isa.cmake.
#include "compute/cpu/kernels.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t kLanes = 8, kRows = 6, kVectors = 3;
#elif defined(__AVX2__)
constexpr std::size_t kLanes = 4, kRows = 4, kVectors = 2;
#else
constexpr std::size_t kLanes = 2, kRows = 4, kVectors = 2;
#endif
constexpr std::size_t kColumns = kLanes * kVectors;
typedef double Doubles __attribute__((vector_size(kLanes * 8)));

void multiply(const double* left, const double* right, std::size_t length, double* tile, bool accumulate) {
  Doubles sum[kRows][kVectors];
#pragma GCC unroll 6
  for (std::size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 3
    for (std::size_t v = 0; v < kVectors; ++v) {
      sum[row][v] = Doubles{};
      if (accumulate) __builtin_memcpy(&sum[row][v], tile + row * kColumns + v * kLanes, sizeof(Doubles));
    }
  }
  for (std::size_t step = 0; step < length; ++step, left += kRows, right += kColumns) {
    Doubles values[kVectors];
#pragma GCC unroll 3
    for (std::size_t v = 0; v < kVectors; ++v)
      __builtin_memcpy(&values[v], right + v * kLanes, sizeof(Doubles));
#pragma GCC unroll 6
    for (std::size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 3
      for (std::size_t v = 0; v < kVectors; ++v) sum[row][v] += left[row] * values[v];
    }
  }
#pragma GCC unroll 6
  for (std::size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 3
    for (std::size_t v = 0; v < kVectors; ++v)
      __builtin_memcpy(tile + row * kColumns + v * kLanes, &sum[row][v], sizeof(Doubles));
  }
}

}  // namespace

extern const DoubleKernel kGemmF64;
const DoubleKernel kGemmF64{kRows, kColumns, multiply};

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
