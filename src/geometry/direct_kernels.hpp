// The arithmetic of direct_distance.hpp, compiled once per instruction set.
#pragma once

#include <cstddef>

namespace markeval::geometry {

struct DirectKernels {
  // Squared distances in double, summed in NumPy's order: the same bits for every instruction set.
  double (*float_float)(const float* a, const float* b, std::size_t columns);
  double (*float_double)(const float* a, const double* b, std::size_t columns);
  double (*double_double)(const double* a, const double* b, std::size_t columns);
  /// The same in float32, sixteen running sums: within rounding of the double result, several times as fast.
  float (*approximate)(const float* a, const float* b, std::size_t columns);
};

namespace portable {
extern const DirectKernels kDirectKernels;
}
namespace avx2 {
extern const DirectKernels kDirectKernels;
}
namespace avx512 {
extern const DirectKernels kDirectKernels;
}

}  // namespace markeval::geometry
