// An order of rows in which near ones stand together, so that tiles of the pair matrix hold many close pairs
// or none: most of them can be passed over after a first look.
#pragma once

#include <cstdint>
#include <vector>

#include "base/matrix_view.hpp"

namespace markeval::geometry {

/// Halves the points across the axis along which they are spread widest, and so on down to a few (a k-d
/// tree); the leaves of each half stand together. Halves are whole blocks of kBlockRows as long as there are
/// several.
std::vector<std::uint32_t> neighbours_together(MatrixView<const float> points);

}  // namespace markeval::geometry
