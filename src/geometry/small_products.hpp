// Products of small matrices of float rows: every row of one text's tokens against every row of another's.
// Too small for the packed kernels of compute, and there are thousands of them, each on its own thread.
#pragma once

#include <cstddef>

#include "base/matrix_view.hpp"

namespace markeval::geometry {

/// out(i, j) = sum over k of a(i, k) * b(j, k), in float, summed in an order that depends on the width alone.
/// Widths must agree and `out` be a.rows() x b.rows().
void inner_products(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out);

/// The same, summed one column after the other with fused multiply-adds, all in float: a BLAS library sums
/// like that. Slower, and its rounding is larger; for repeating a program whose results show that rounding.
void sequential_inner_products(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out);

/// Every row divided by its length plus `epsilon`; a row of zeros stays one. Lengths are taken in double.
void normalize_rows(MatrixView<float> rows, double epsilon = 0);

}  // namespace markeval::geometry
