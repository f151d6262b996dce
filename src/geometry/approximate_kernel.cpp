// DirectKernels::approximate: in a file of its own because here, and only here, the compiler may fuse
// multiply and add.
#include "geometry/direct_kernels.hpp"

namespace markeval::geometry::MARKEVAL_KERNEL_ISA {

float approximate(const float* a, const float* b, std::size_t count);

float approximate(const float* a, const float* b, std::size_t count) {
  // Four vectors of running sums, so that no addition waits for the one before. They have the instruction
  // set's own width: a wider vector type is kept in memory.
#if defined(__AVX512F__)
  constexpr std::size_t kLanes = 16;
#elif defined(__AVX2__)
  constexpr std::size_t kLanes = 8;
#else
  constexpr std::size_t kLanes = 4;
#endif
  constexpr std::size_t kParts = 4;
  typedef float Floats __attribute__((vector_size(kLanes * sizeof(float))));
  Floats sums[kParts] = {};
  const auto add = [&](std::size_t i, Floats& to) {
    Floats x, y;
    __builtin_memcpy(&x, a + i, sizeof x);
    __builtin_memcpy(&y, b + i, sizeof y);
    const Floats difference = x - y;
    to += difference * difference;
  };
  std::size_t i = 0;
  for (; i + kParts * kLanes <= count; i += kParts * kLanes) {
#pragma GCC unroll 4
    for (std::size_t part = 0; part < kParts; ++part) add(i + part * kLanes, sums[part]);
  }
  for (; i + kLanes <= count; i += kLanes) add(i, sums[0]);
  const Floats all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  float sum = 0;
  for (; i < count; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  for (std::size_t lane = 0; lane < kLanes; ++lane) sum += all[lane];
  return sum;
}

}  // namespace markeval::geometry::MARKEVAL_KERNEL_ISA
