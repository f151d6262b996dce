// The device memory a batch passes through, grown to the largest batch and used again for the next.
#pragma once

#include <cstddef>

#include "compute/device.hpp"
#include "compute/transformer.hpp"

namespace markeval::encoder {

/// A batch on the device.
struct DeviceBatch {
  const compute::Sequences& sequences;
  compute::DeviceMatrix<const std::int32_t> ids;
  compute::DeviceMatrix<const std::int32_t> positions;
  /// Rows of the layer's output that are needed, where not all are: their numbers (1 x count), and for every
  /// row its place among them (1 x rows; 0 for one that is not needed). The others may then hold anything.
  compute::DeviceMatrix<const std::int32_t> wanted = {};
  compute::DeviceMatrix<const std::int32_t> row_index = {};

  DeviceBatch with_all_rows() const { return {sequences, ids, positions}; }
  std::size_t rows() const { return ids.columns; }
};

class Workspace {
 public:
  explicit Workspace(compute::Device& device) : device_(device) {}

  compute::Device& device() const { return device_; }
  compute::TransformerOperations& operations() const { return device_.transformer(); }

  /// The hidden states: what the embedding writes and every layer turns into its own output.
  compute::DeviceMatrix<float> states(std::size_t rows, std::size_t columns) {
    return states_.take(device_, rows, columns);
  }
  /// Room inside one layer; what is in it is lost with the next call of the same function.
  template <typename T = float>
  compute::DeviceMatrix<T> wide(std::size_t rows, std::size_t columns) {
    return wide_.take<T>(device_, rows, columns);
  }
  compute::DeviceMatrix<float> narrow(std::size_t rows, std::size_t columns) {
    return narrow_.take(device_, rows, columns);
  }
  /// The wanted rows of a layer that drops the others on its way.
  compute::DeviceMatrix<float> wanted_states(std::size_t rows, std::size_t columns) {
    return wanted_states_.take(device_, rows, columns);
  }
  compute::DeviceMatrix<float> wanted_context(std::size_t rows, std::size_t columns) {
    return wanted_context_.take(device_, rows, columns);
  }
  /// For the one architecture that looks back at the embedding output.
  compute::DeviceMatrix<float> kept(std::size_t rows, std::size_t columns) {
    return kept_.take(device_, rows, columns);
  }

 private:
  struct ReusedMatrix {
    std::unique_ptr<compute::Storage> storage;
    std::size_t bytes = 0;

    template <typename T = float>
    compute::DeviceMatrix<T> take(compute::Device& device, std::size_t rows, std::size_t columns) {
      const std::size_t needed = rows * columns * sizeof(T);
      if (needed > bytes) {
        storage.reset();
        bytes = 0;
        storage = device.allocate(needed);
        bytes = needed;
      }
      if (storage) storage->forget();
      return {storage.get(), 0, rows, columns, columns};
    }
  };

  compute::Device& device_;
  ReusedMatrix states_, wide_, narrow_, kept_, wanted_states_, wanted_context_;
};

}  // namespace markeval::encoder
