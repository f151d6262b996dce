// The directions in which a cloud of points is widest, found on a sample by subspace iteration, and an order
// of rows by their places along them, in which near rows stand together. The filter of geometry/cpu uses both
// to be faster: whatever the axes and the order are, it loses no pair (docs/background/exactness.md, step 6).
// Pictures of sets are drawn along the axes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/matrix_view.hpp"
#include "compute/products.hpp"
#include "geometry/set_engine.hpp"

namespace markeval::geometry::cpu {

/// `count` orthonormal rows of `sample.columns()` numbers (orthonormal to about 1e-12), widest direction
/// first, for a sample that is already centred. The same for any number of threads.
std::vector<double> principal_axes(MatrixView<const float> sample, std::size_t count,
                                   const compute::Products& products);

/// SetEngine::axes.
SetAxes set_axes(Points points, std::size_t count, const compute::Products& products);

/// An order in which tiles of the pair matrix hold many close pairs or none: most of them can be passed over
/// after a first look. Halves the points across the axis along which they are spread widest, and so on down
/// to a few (a k-d tree); the leaves of each half stand together. Halves are whole blocks of block_rows as
/// long as there are several.
std::vector<std::uint32_t> neighbours_together(MatrixView<const float> points, std::size_t block_rows);

}  // namespace markeval::geometry::cpu
