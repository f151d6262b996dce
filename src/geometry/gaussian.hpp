// A set of points as a Gaussian: mean and unbiased covariance in double, and the Frechet distance of two of
// them.
#pragma once

#include <cstddef>
#include <vector>

#include "base/run_context.hpp"
#include "compute/products.hpp"
#include "geometry/points.hpp"

namespace markeval::geometry {

struct Gaussian {
  std::vector<double> mean;
  std::vector<double> covariance;  ///< columns x columns, divided by rows - 1
};

/// Needs at least two rows. Throws Error(invalid_input) where squares overflow double.
Gaussian fit_gaussian(Points points, const compute::Products& products, const RunContext& context);

/// |m1 - m2|^2 + tr(S1) + tr(S2) - 2 tr(sqrt(sqrt(S1) S2 sqrt(S1))), the root by eigenvalues of symmetric
/// matrices, so never complex; at least 0. (Dowson and Landau 1982.)
double squared_frechet_distance(const Gaussian& a, const Gaussian& b, const compute::Products& products,
                                const RunContext& context);

struct FrechetDistance {
  double total = 0;          ///< at least 0
  double between_means = 0;  ///< |m1 - m2|^2, a part of it
};

/// The same number from the rows themselves, for sets of fewer rows than columns: with the centred rows A and
/// B the trace of the root is the sum of the singular values of A B' / sqrt((a - 1) (b - 1)), a matrix of a x
/// b instead of columns x columns. A set of one row has covariance 0. On the calling thread alone.
FrechetDistance squared_frechet_distance(Points a, Points b, const compute::Products& products);

}  // namespace markeval::geometry
