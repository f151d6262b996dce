// Which kernel of direct_kernels.hpp a CPU uses, and the bounds of the float32 distance. What must hold: the
// double distance has the same bits on every machine, and the bounds enclose it. The number of roundings
// behind relative_error_ is counted in the constructor.
#include "geometry/direct_distance.hpp"

#include <cassert>
#include <type_traits>

#include "base/cpu_features.hpp"
#include "geometry/direct_kernels.hpp"

namespace markeval::geometry {
namespace {

const DirectKernels& kernels() {
#if defined(__x86_64__)
  const Isa isa = chosen_isa();
  if (isa >= Isa::avx512 && isa <= Isa::amx) return avx512::kDirectKernels;
  if (isa == Isa::avx2) return avx2::kDirectKernels;
#endif
  return portable::kDirectKernels;  // on aarch64 the baseline is NEON already
}

}  // namespace

double squared_distance(const float* a, const float* b, std::size_t columns) {
  static const auto kernel = kernels().float_float;
  return kernel(a, b, columns);
}
double squared_distance(const double* a, const double* b, std::size_t columns) {
  static const auto kernel = kernels().double_double;
  return kernel(a, b, columns);
}
double squared_distance(const float* a, const double* b, std::size_t columns) {
  static const auto kernel = kernels().float_double;
  return kernel(a, b, columns);
}
double squared_distance(const double* a, const float* b, std::size_t columns) {
  return squared_distance(b, a, columns);  // (a - b)^2 is (b - a)^2 to the last bit
}

namespace {

template <typename A, typename B>
double measure(const std::byte* a, const std::byte* b, std::size_t columns) {
  return squared_distance(reinterpret_cast<const A*>(a), reinterpret_cast<const B*>(b), columns);
}

}  // namespace

DirectDistance::DirectDistance(Points a, Points b) : columns_(a.columns()) {
  assert(a.columns() == b.columns());
  a.visit([&](const auto& first) {
    b.visit([&](const auto& second) {
      using A = std::remove_cvref_t<decltype(*first.data())>;
      using B = std::remove_cvref_t<decltype(*second.data())>;
      a_ = reinterpret_cast<const std::byte*>(first.data());
      b_ = reinterpret_cast<const std::byte*>(second.data());
      a_stride_bytes_ = first.stride() * sizeof(A);
      b_stride_bytes_ = second.stride() * sizeof(B);
      a_row_bytes_ = first.columns() * sizeof(A);
      b_row_bytes_ = second.columns() * sizeof(B);
      measure_ = &measure<A, B>;
      if constexpr (std::is_same_v<A, float> && std::is_same_v<B, float>)
        approximate_ = kernels().approximate;
    });
  });
  // A term is rounded three times (its difference counts twice), then takes part in at most one addition per
  // sixteen columns and 36 more. All terms are positive, so the relative errors do not grow.
  relative_error_ = (static_cast<double>(columns_) / 16 + 40) * 0x1.0p-24;
}

SquareBounds DirectDistance::bounds(std::size_t row_of_a, std::size_t row_of_b) const {
  if (approximate_ != nullptr) {
    const float square =
        approximate_(reinterpret_cast<const float*>(a_ + row_of_a * a_stride_bytes_),
                     reinterpret_cast<const float*>(b_ + row_of_b * b_stride_bytes_), columns_);
    // Near the ends of float32's range single terms may have been lost.
    if (square > 1e-28f && square < 1e37f) {
      return {static_cast<double>(square) * (1 - relative_error_),
              static_cast<double>(square) * (1 + relative_error_)};
    }
  }
  const double square = (*this)(row_of_a, row_of_b);
  return {square, square};
}

}  // namespace markeval::geometry
