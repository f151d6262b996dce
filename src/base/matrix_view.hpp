// A row-major matrix somebody else owns: pointer, rows, columns and the distance between rows. Views in,
// values out.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <type_traits>

namespace markeval {

template <typename T>
class MatrixView {
 public:
  MatrixView() = default;
  MatrixView(T* data, std::size_t rows, std::size_t columns) : MatrixView(data, rows, columns, columns) {}
  MatrixView(T* data, std::size_t rows, std::size_t columns, std::size_t stride)
      : data_(data), rows_(rows), columns_(columns), stride_(stride) {
    assert(stride >= columns);
  }
  /// A view that may write is also a view that may read.
  template <typename U>
  requires std::is_same_v<T, const U> MatrixView(MatrixView<U> other)  // NOLINT(google-explicit-constructor)
      : MatrixView(other.data(), other.rows(), other.columns(), other.stride()) {}

  T* data() const { return data_; }
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::size_t stride() const { return stride_; }
  bool empty() const { return rows_ == 0 || columns_ == 0; }

  std::span<T> row(std::size_t index) const {
    assert(index < rows_);
    return {data_ + index * stride_, columns_};
  }
  T& operator()(std::size_t row_index, std::size_t column) const {
    assert(row_index < rows_ && column < columns_);
    return data_[row_index * stride_ + column];
  }
  MatrixView rows_from(std::size_t first, std::size_t count) const {
    assert(first + count <= rows_);
    return {data_ + first * stride_, count, columns_, stride_};
  }

 private:
  T* data_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::size_t stride_ = 0;
};

}  // namespace markeval
