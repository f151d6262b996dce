// Biases added to the rows of a batch, and sums over the rows in a fixed order, for their gradients.
#pragma once

#include <algorithm>
#include <span>

#include "base/matrix_view.hpp"
#include "base/parallel.hpp"

namespace markeval::trained {

/// Every row += `bias`.
template <typename T>
void add_to_rows(ThreadPool& pool, std::span<const T> bias, MatrixView<T> matrix) {
  pool.for_each(matrix.rows(), [&](std::size_t row, std::size_t) {
    T* const values = matrix.row(row).data();
    for (std::size_t j = 0; j < bias.size(); ++j) values[j] += bias[j];
  });
}

/// sums[j] += the sum of column j, row after row.
template <typename T>
void add_column_sums(ThreadPool& pool, MatrixView<const T> matrix, std::span<T> sums) {
  constexpr std::size_t kColumns = 128;
  pool.for_each((sums.size() + kColumns - 1) / kColumns, [&](std::size_t block, std::size_t) {
    const std::size_t first = block * kColumns;
    const std::size_t count = std::min(kColumns, sums.size() - first);
    T total[kColumns] = {};
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
      const T* const values = matrix.row(row).data() + first;
      for (std::size_t j = 0; j < count; ++j) total[j] += values[j];
    }
    for (std::size_t j = 0; j < count; ++j) sums[first + j] += total[j];
  });
}

}  // namespace markeval::trained
