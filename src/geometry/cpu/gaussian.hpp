// A set of points as a Gaussian: mean and unbiased covariance in double, and the Frechet distance of two of
// them.
#pragma once

#include <span>

#include "base/run_context.hpp"
#include "compute/products.hpp"
#include "geometry/set_engine.hpp"

namespace markeval::geometry::cpu {

/// SetEngine::sums, squares and covariance.
SpanSums column_sums(Points points, RowRange range, const RunContext& context);
SpanSums centred_squares(Points points, std::span<const double> mean, RowRange range,
                         const compute::Products& products, const RunContext& context);
Gaussian fit_gaussian(Points points, const compute::Products& products, const RunContext& context);

/// |m1 - m2|^2 + tr(S1) + tr(S2) - 2 tr(sqrt(sqrt(S1) S2 sqrt(S1))), the root by eigenvalues of symmetric
/// matrices, so never complex; at least 0. (Dowson and Landau 1982.)
FrechetDistance squared_frechet_distance(const Gaussian& a, const Gaussian& b,
                                         const compute::Products& products, const RunContext& context);

/// The same number from the rows themselves, for sets of fewer rows than columns: with the centred rows A and
/// B the trace of the root is the sum of the singular values of A B' / sqrt((a - 1) (b - 1)), a matrix of a x
/// b instead of columns x columns. A set of one row has covariance 0. On the calling thread alone.
FrechetDistance squared_frechet_distance(Points a, Points b, const compute::Products& products);

}  // namespace markeval::geometry::cpu
