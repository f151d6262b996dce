// Device memory of the CPU device, seen as what it is.
#pragma once

#include <cassert>
#include <span>

#include "base/aligned_buffer.hpp"
#include "base/matrix_view.hpp"
#include "compute/device.hpp"

namespace markeval::compute::cpu {

class HostMemory final : public Storage {
 public:
  explicit HostMemory(std::size_t bytes) : bytes_(bytes) {}
  void forget() override { bytes_.forget(); }
  std::byte* data() { return bytes_.data(); }
  const std::byte* data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }

 private:
  AlignedBuffer<std::byte> bytes_;
};

/// Empty where there is no storage.
template <typename T>
MatrixView<T> host_view(DeviceMatrix<T> matrix) {
  if (matrix.storage == nullptr) return {};
  auto& memory = static_cast<HostMemory&>(*matrix.storage);
  assert(matrix.rows == 0 ||
         (matrix.offset + (matrix.rows - 1) * matrix.stride + matrix.columns) * sizeof(T) <= memory.size());
  return {reinterpret_cast<T*>(memory.data()) + matrix.offset, matrix.rows, matrix.columns, matrix.stride};
}

/// A matrix of one row.
template <typename T>
std::span<T> host_row(DeviceMatrix<T> matrix) {
  assert(matrix.rows <= 1);
  const MatrixView<T> view = host_view(matrix);
  return {view.data(), view.rows() * view.columns()};
}

}  // namespace markeval::compute::cpu
