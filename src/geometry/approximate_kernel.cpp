// DirectKernels::approximate: in a file of its own because here, and only here, the compiler may fuse
// multiply and add.
#include "geometry/direct_kernels.hpp"

namespace markeval::geometry::MARKEVAL_KERNEL_ISA {

float approximate(const float* a, const float* b, std::size_t count);

float approximate(const float* a, const float* b, std::size_t count) {
  // Sixteen running sums in registers of the instruction set's own width: a wider vector type is kept in
  // memory.
#if defined(__AVX512F__)
  constexpr std::size_t kLanes = 16;
#elif defined(__AVX2__)
  constexpr std::size_t kLanes = 8;
#else
  constexpr std::size_t kLanes = 4;
#endif
  constexpr std::size_t kParts = 16 / kLanes;
  typedef float Floats __attribute__((vector_size(kLanes * sizeof(float))));
  Floats sums[kParts] = {};
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16) {
#pragma GCC unroll 4
    for (std::size_t part = 0; part < kParts; ++part) {
      Floats x, y;
      __builtin_memcpy(&x, a + i + part * kLanes, sizeof x);
      __builtin_memcpy(&y, b + i + part * kLanes, sizeof y);
      const Floats difference = x - y;
      sums[part] += difference * difference;
    }
  }
  float sum = 0;
  for (; i < count; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  for (const Floats& part : sums) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sum += part[lane];
  }
  return sum;
}

}  // namespace markeval::geometry::MARKEVAL_KERNEL_ISA
