// Distances and cosines of small matrices of float rows: every row of one text's tokens against every row of
// another's. Too small for the packed kernels of compute, and there are thousands of them, each on its own
// thread.
#pragma once

#include <cstddef>

#include "base/matrix_view.hpp"

namespace markeval::geometry {

/// out(i, j) = sum over k of (a(i, k) - b(j, k))^2, in float, summed in an order that depends on the width
/// alone. Exactly 0 for equal rows. Widths must agree and `out` be a.rows() x b.rows(), without gaps.
void squared_distances(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out);

/// The cosines of rows of length 1, as 1 - squared distance / 2: exactly 1 for equal rows, never above 1 or
/// below -1. A row of zeros has cosine 0 with every other.
void cosines(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out);

/// out(i, j) = sum over k of a(i, k) * b(j, k), summed one column after the other with fused multiply-adds,
/// all in float: a BLAS library sums like that. For repeating a program whose results show that rounding.
void sequential_inner_products(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out);

/// Every row divided by its length plus `epsilon`; a row of zeros stays one. Lengths are taken in double.
void normalize_rows(MatrixView<float> rows, double epsilon = 0);

}  // namespace markeval::geometry
