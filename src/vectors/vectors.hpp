// Rows of vectors and who owns them: memory, a file without a name, or the caller of the C++ API.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/descriptor.hpp"
#include "base/matrix_view.hpp"
#include "base/parallel.hpp"

namespace markeval::vectors {

/// Bytes one after the other, mapped, so that they can be read as an array at any time.
class ByteStore {
 public:
  /// `folder`: where to make the file; empty: in memory. Throws Error(io) where it cannot be made.
  explicit ByteStore(std::string folder);
  ~ByteStore();
  ByteStore(ByteStore&& other) noexcept { *this = std::move(other); }
  ByteStore& operator=(ByteStore&& other) noexcept;

  /// Makes the store `count` bytes longer; the caller fills them. Throws Error(io) on a full disk,
  /// std::bad_alloc without memory.
  std::span<std::byte> extend(std::size_t count);
  /// Takes the last `count` bytes away.
  void shrink(std::size_t count) { size_ -= count; }
  /// Good until the store grows.
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  void grow(std::size_t needed);

  std::string folder_;
  Descriptor file_;  ///< none: in memory
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;  ///< bytes mapped
};

/// Rows that arrive block by block and are then read as one matrix. They lie in memory or, where they would
/// take too much of it, in a file without a name that goes away with the object.
template <typename T>
class RowStore {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit RowStore(std::size_t columns, const std::string& folder = {})
      : columns_(columns), bytes_(folder) {}

  std::size_t rows() const { return columns_ == 0 ? 0 : bytes_.bytes().size() / (columns_ * sizeof(T)); }
  std::size_t columns() const { return columns_; }
  /// Whole rows.
  void append(std::span<const T> values) {
    assert(values.size() % columns_ == 0);
    std::ranges::copy(std::as_bytes(values), bytes_.extend(values.size_bytes()).begin());
  }
  /// Makes the store `count` rows longer; the caller fills them before the next call.
  MatrixView<T> extend(std::size_t count) {
    const std::span<std::byte> bytes = bytes_.extend(count * columns_ * sizeof(T));
    return {reinterpret_cast<T*>(bytes.data()), count, columns_};
  }
  /// All rows so far, good until the next append.
  MatrixView<const T> view() const {
    return {reinterpret_cast<const T*>(bytes_.bytes().data()), rows(), columns_};
  }

 private:
  std::size_t columns_;
  ByteStore bytes_;
};

/// $TMPDIR, else /tmp
std::string temporary_folder();

/// Rows with a name. The values stay float32 or float64 as they came: the full precision of float64 counts.
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
