// Squared distances in double, in the order of NumPy's pairwise sum. What must hold: no fused multiply-add
// and the same eight running sums on every instruction set, so that the bits are the same.
#include "geometry/direct_kernels.hpp"

namespace markeval::geometry::MARKEVAL_KERNEL_ISA {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kBlock = 128;

// The compiler's own vectors: one, two or four registers, always the same running sums.
typedef double Doubles __attribute__((vector_size(kLanes * sizeof(double))));
typedef float Floats __attribute__((vector_size(kLanes * sizeof(float))));

void load(const double* values, Doubles& result) {
  __builtin_memcpy(&result, values, sizeof result);
}
void load(const float* values, Doubles& result) {
  Floats floats;
  __builtin_memcpy(&floats, values, sizeof floats);
  result = __builtin_convertvector(floats, Doubles);
}

template <typename A, typename B>
double square_of_difference(A a, B b) {
  const double difference = static_cast<double>(a) - static_cast<double>(b);
  return difference * difference;
}

template <typename A, typename B>
double pairwise_sum(const A* a, const B* b, std::size_t count) {
  if (count < kLanes) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += square_of_difference(a[i], b[i]);
    return sum;
  }
  if (count <= kBlock) {
    Doubles x, y;
    load(a, x);
    load(b, y);
    Doubles sums = (x - y) * (x - y);
    std::size_t i = kLanes;
    for (; i + kLanes <= count; i += kLanes) {
      load(a + i, x);
      load(b + i, y);
      const Doubles difference = x - y;
      sums += difference * difference;
    }
    double sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    for (; i < count; ++i) sum += square_of_difference(a[i], b[i]);
    return sum;
  }
  std::size_t half = count / 2;
  half -= half % kLanes;
  return pairwise_sum(a, b, half) + pairwise_sum(a + half, b + half, count - half);
}

}  // namespace

float approximate(const float* a, const float* b, std::size_t count);  // approximate_kernel.cpp
extern const DirectKernels kDirectKernels;
const DirectKernels kDirectKernels{pairwise_sum<float, float>, pairwise_sum<float, double>,
                                   pairwise_sum<double, double>, approximate};

}  // namespace markeval::geometry::MARKEVAL_KERNEL_ISA
