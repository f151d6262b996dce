// Rows of vectors and who owns them: memory, a file without a name, or the caller of the C++ API. The values
// stay float32 or float64 as they came: the full precision of float64 counts.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "base/matrix_view.hpp"
#include "base/parallel.hpp"
#include "vectors/row_store.hpp"

namespace markeval::vectors {

class Vectors {
 public:
  using View = std::variant<MatrixView<const float>, MatrixView<const double>>;

  /// `view` must point into `owner`, or outlive this object where that is empty.
  /// `name` is what messages call it: the path of the file.
  Vectors(std::string name, View view, ByteStore owner = ByteStore(""), std::size_t layers = 1)
      : name_(std::move(name)), view_(view), owner_(std::move(owner)), layers_(layers) {}

  const std::string& name() const { return name_; }
  const View& view() const { return view_; }
  std::size_t rows() const {
    return std::visit([](const auto& view) { return view.rows(); }, view_);
  }
  std::size_t columns() const {
    return std::visit([](const auto& view) { return view.columns(); }, view_);
  }
  /// The columns are those of so many layers, one layer after the other.
  std::size_t layers() const { return layers_; }

 private:
  std::string name_;
  View view_;
  ByteStore owner_;
  std::size_t layers_;
};

/// Throws Error(invalid_input) with file, row and column (from 1) of the first value that is NaN or infinite,
/// or beyond 1e150, where squares in double overflow.
void require_finite(const Vectors& vectors, ThreadPool& pool);

/// The rows of all parts, one after the other, in float64 where one of the parts is. The parts must be
/// equally wide.
Vectors stack(std::span<const Vectors> parts);

}  // namespace markeval::vectors
