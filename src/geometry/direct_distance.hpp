// The distance that decides: squared Euclidean, computed directly in double. Whatever a fast path cannot
// decide for sure ends here, so this file defines what "exact" means.
//
// The squares are summed pairwise in NumPy's order (eight running sums, blocks of at most 128, halves added),
// without fused multiply-add: the same bits on every CPU, and the same bits as ((a - b) ** 2).sum() of
// contiguous float64 rows.
#pragma once

#include <cstddef>

#include "geometry/points.hpp"

namespace markeval::geometry {

double squared_distance(const float* a, const float* b, std::size_t columns);
double squared_distance(const double* a, const double* b, std::size_t columns);
double squared_distance(const float* a, const double* b, std::size_t columns);
double squared_distance(const double* a, const float* b, std::size_t columns);

/// What is known of a squared distance.
struct SquareBounds {
  double lower;
  double upper;
};

/// Distances between rows of two sets (or of one set and itself), with the element types looked up once.
class DirectDistance {
 public:
  DirectDistance(Points a, Points b);

  double operator()(std::size_t row_of_a, std::size_t row_of_b) const {
    return measure_(a_ + row_of_a * a_stride_bytes_, b_ + row_of_b * b_stride_bytes_, columns_);
  }

  /// Around the result of operator(), a few millionths apart and several times as fast where both sets are
  /// float32: differences of floats lose nothing to cancellation, however close the rows. Elsewhere, and
  /// where float32 overflows or underflows, both bounds are the result itself.
  SquareBounds bounds(std::size_t row_of_a, std::size_t row_of_b) const;

  /// Starts to fetch a row of the first or second set, for a distance that will soon be asked for.
  void prefetch_first(std::size_t row_of_a) const { fetch(a_ + row_of_a * a_stride_bytes_, a_row_bytes_); }
  void prefetch_second(std::size_t row_of_b) const { fetch(b_ + row_of_b * b_stride_bytes_, b_row_bytes_); }

 private:
  static void fetch(const std::byte* row, std::size_t bytes) {
    for (std::size_t byte = 0; byte < bytes; byte += 64) __builtin_prefetch(row + byte);
  }

  const std::byte* a_;
  const std::byte* b_;
  std::size_t a_stride_bytes_;
  std::size_t b_stride_bytes_;
  std::size_t a_row_bytes_;
  std::size_t b_row_bytes_;
  std::size_t columns_;
  double relative_error_;
  double (*measure_)(const std::byte*, const std::byte*, std::size_t);
  float (*approximate_)(const float*, const float*, std::size_t) = nullptr;
};

}  // namespace markeval::geometry
