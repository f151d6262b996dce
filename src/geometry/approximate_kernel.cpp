// DirectKernels::approximate: in a file of its own because here, and only here, the compiler may fuse
// multiply and add.
#include "geometry/direct_kernels.hpp"

namespace markeval::geometry::MARKEVAL_KERNEL_ISA {

float approximate(const float* a, const float* b, std::size_t count);

float approximate(const float* a, const float* b, std::size_t count) {
  constexpr std::size_t kLanes = 16;
  typedef float Floats __attribute__((vector_size(kLanes * sizeof(float))));
  Floats sums{};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Floats x, y;
    __builtin_memcpy(&x, a + i, sizeof x);
    __builtin_memcpy(&y, b + i, sizeof y);
    const Floats difference = x - y;
    sums += difference * difference;
  }
  float sum = 0;
  for (; i < count; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  for (std::size_t lane = 0; lane < kLanes; ++lane) sum += sums[lane];
  return sum;
}

}  // namespace markeval::geometry::MARKEVAL_KERNEL_ISA
