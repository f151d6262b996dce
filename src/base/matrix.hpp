// A row-major matrix with an owner: the one type for "rows x columns of T that somebody holds".
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/matrix_view.hpp"

namespace markeval {

template <typename T>
class Matrix {
 public:
  Matrix() = default;
  /// All zeros.
  Matrix(std::size_t rows, std::size_t columns) : values_(rows * columns), rows_(rows), columns_(columns) {}

  /// Contents are indeterminate afterwards. Memory is kept when it shrinks.
  void resize(std::size_t rows, std::size_t columns) {
    values_.resize(rows * columns);
    rows_ = rows;
    columns_ = columns;
  }
  void fill(T value) { std::fill(values_.begin(), values_.end(), value); }

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  MatrixView<T> view() { return {values_.data(), rows_, columns_}; }
  MatrixView<const T> view() const { return {values_.data(), rows_, columns_}; }
  std::span<T> row(std::size_t index) { return view().row(index); }
  std::span<const T> row(std::size_t index) const { return view().row(index); }
  /// All rows, one after the other.
  std::vector<T>& values() { return values_; }
  const std::vector<T>& values() const { return values_; }

 private:
  std::vector<T> values_;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
};

}  // namespace markeval
