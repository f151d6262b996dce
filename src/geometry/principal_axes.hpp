// The directions in which a cloud of points is widest, good enough for a filter: found on a sample by
// subspace iteration.
#pragma once

#include <cstddef>
#include <vector>

#include "base/matrix_view.hpp"
#include "base/parallel.hpp"

namespace markeval::geometry {

/// `count` orthonormal rows of `sample.columns()` numbers (orthonormal to about 1e-12), widest direction
/// first, for a sample that is already centred. The same for any number of threads.
std::vector<double> principal_axes(MatrixView<const float> sample, std::size_t count, ThreadPool& pool);

}  // namespace markeval::geometry
