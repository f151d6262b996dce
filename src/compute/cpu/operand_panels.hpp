// Laying out operands that change from call to call as panels of the float32 kernel, and taking tiles back.
// Used by products.cpp.
#pragma once

#include <cstddef>

#include "base/matrix_view.hpp"

namespace markeval::compute::cpu {

/// Panels of the right side a task of a product takes.
inline constexpr std::size_t kGroupPanels = 8;

/// Panels [begin, end) of the rows of a transposed matrix: its columns, so every step is a piece of a row.
/// All of them in one walk over the matrix, so that its lines are fetched once.
void pack_columns(MatrixView<const float> matrix, std::size_t begin, std::size_t end, std::size_t panel_rows,
                  float* panels);

/// Writes rows x columns of a tile to `out`, or adds them.
void write_tile(const float* tile, std::size_t tile_columns, std::size_t rows, std::size_t columns,
                bool accumulate, float* out, std::size_t stride);

}  // namespace markeval::compute::cpu
