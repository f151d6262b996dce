// A row-major matrix with an owner, which keeps its memory when it shrinks: what layers remember from forward
// to backward. Used by every layer of this folder.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/aligned_buffer.hpp"
#include "base/matrix_view.hpp"

namespace markeval::trained {

template <typename T>
class KeptMatrix {
 public:
  KeptMatrix() = default;
  KeptMatrix(std::size_t rows, std::size_t columns) { resize(rows, columns); }

  /// Contents are indeterminate afterwards.
  void resize(std::size_t rows, std::size_t columns) {
    if (buffer_.size() < rows * columns) buffer_ = AlignedBuffer<T>(rows * columns + rows * columns / 4);
    rows_ = rows;
    columns_ = columns;
  }
  void fill(T value) { std::fill(data(), data() + rows_ * columns_, value); }

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  T* data() { return buffer_.data(); }
  const T* data() const { return buffer_.data(); }
  T* row(std::size_t index) { return data() + index * columns_; }
  const T* row(std::size_t index) const { return data() + index * columns_; }
  MatrixView<T> view() { return {data(), rows_, columns_}; }
  MatrixView<const T> view() const { return {data(), rows_, columns_}; }

 private:
  AlignedBuffer<T> buffer_;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
};

}  // namespace markeval::trained
