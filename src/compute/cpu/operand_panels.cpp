// Copies between matrices and panels. Nothing is computed here; what counts is that every line of memory is
// fetched once.
#include "compute/cpu/operand_panels.hpp"

#include <algorithm>
#include <type_traits>

namespace markeval::compute::cpu {
namespace {

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

}  // namespace

void pack_columns(MatrixView<const float> matrix, std::size_t begin, std::size_t end, std::size_t panel_rows,
                  float* panels) {
  const std::size_t panel_size = matrix.rows() * panel_rows;
  const std::size_t whole = std::min(end, matrix.columns() / panel_rows);
  with_width(panel_rows, [&](auto width) {
    for (std::size_t step = 0; step < matrix.rows(); ++step) {
      const float* __restrict from = matrix.row(step).data() + begin * width;
      float* __restrict to = panels + step * width;
      for (std::size_t panel = begin; panel < whole; ++panel, from += width, to += panel_size) {
        for (std::size_t i = 0; i < width; ++i) to[i] = from[i];
      }
    }
  });
  if (whole == end) return;
  const std::size_t first = whole * panel_rows, count = matrix.columns() - first;
  float* to = panels + (whole - begin) * panel_size;
  for (std::size_t step = 0; step < matrix.rows(); ++step, to += panel_rows) {
    std::copy_n(matrix.row(step).data() + first, count, to);
    std::fill(to + count, to + panel_rows, 0.0f);
  }
}

void write_tile(const float* __restrict tile, std::size_t tile_columns, std::size_t rows, std::size_t columns,
                bool accumulate, float* __restrict out, std::size_t stride) {
  with_width(columns, [&](auto width) {
    for (std::size_t row = 0; row < rows; ++row, tile += tile_columns, out += stride) {
      if (accumulate) {
        for (std::size_t column = 0; column < width; ++column) out[column] += tile[column];
      } else {
        // As a kernel that writes a tile itself: -0 becomes +0.
        for (std::size_t column = 0; column < width; ++column) out[column] = tile[column] + 0.0f;
      }
    }
  });
}

}  // namespace markeval::compute::cpu
