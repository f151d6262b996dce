// Laying out operands that change from call to call as panels of the float32 kernel, and taking tiles back.
// Used by products.cpp and sparse_products.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "base/matrix_view.hpp"

namespace markeval::compute::cpu {

/// Calls `body` with a width the compiler knows where it is that of a kernel's tile: pieces of so few numbers
/// are copied in less time than a call of memcpy takes.
template <typename Body>
void with_width(std::size_t width, const Body& body) {
  switch (width) {
    case 8:
      return body(std::integral_constant<std::size_t, 8>());
    case 12:
      return body(std::integral_constant<std::size_t, 12>());
    case 16:
      return body(std::integral_constant<std::size_t, 16>());
    case 48:
      return body(std::integral_constant<std::size_t, 48>());
    default:
      return body(width);
  }
}

inline std::size_t panels_of(std::size_t rows, std::size_t panel_rows) {
  return (rows + panel_rows - 1) / panel_rows;
}

/// Panels [begin, end) of the rows of a transposed matrix: its columns, so every step is a piece of a row.
/// All of them in one walk over the matrix, so that its lines are fetched once.
void pack_columns(MatrixView<const float> matrix, std::size_t begin, std::size_t end, std::size_t panel_rows,
                  float* panels);

inline void write_tile(const float* __restrict tile, std::size_t tile_columns, std::size_t rows,
                       std::size_t columns, bool accumulate, float* __restrict out, std::size_t stride) {
  with_width(columns, [&](auto width) {
    for (std::size_t row = 0; row < rows; ++row, tile += tile_columns, out += stride) {
      if (accumulate) {
        for (std::size_t column = 0; column < width; ++column) out[column] += tile[column];
      } else {
        for (std::size_t column = 0; column < width; ++column) out[column] = tile[column];
      }
    }
  });
}

}  // namespace markeval::compute::cpu
