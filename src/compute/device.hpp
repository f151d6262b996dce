// Where arithmetic happens: the one interface between those who need arithmetic (encoder, geometry, trained
// metrics) and those who do it (compute/cpu, later compute/cuda; compute/reference is the plain double oracle
// of the tests).
//
// Data live in device memory. Host data go in by `upload` and come out by `download`, and no operation takes
// a host pointer, so a GPU can stand behind this interface without a change in its callers. On the CPU device
// memory is host memory and the two are plain copies.
//
// The result for a row depends on that row, the other operand and the instruction set alone: not on the
// number of threads, the number of rows in the call or the row's place among them. tests/contract holds every
// device to that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <variant>

#include "base/cpu_features.hpp"
#include "base/matrix_view.hpp"
#include "compute/bf16.hpp"

namespace markeval {
class ThreadPool;
}

namespace markeval::compute {

/// Memory of one device, freed with the object. Only the device that made it can look inside.
class Storage {
 public:
  virtual ~Storage() = default;
};

/// A row-major matrix of T in device memory that somebody else owns.
template <typename T>
struct DeviceMatrix {
  Storage* storage = nullptr;
  std::size_t offset = 0;  ///< in elements of T
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t stride = 0;  ///< elements from one row to the next

  operator DeviceMatrix<const T>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {storage, offset, rows, columns, stride};
  }
  DeviceMatrix rows_from(std::size_t first, std::size_t count) const {
    return {storage, offset + first * stride, count, columns, stride};
  }
  DeviceMatrix columns_from(std::size_t first, std::size_t count) const {
    return {storage, offset + first, rows, count, stride};
  }
};

/// An owned row-major matrix of T in device memory.
template <typename T>
struct DeviceArray {
  std::unique_ptr<Storage> storage;
  std::size_t rows = 0;
  std::size_t columns = 0;

  DeviceMatrix<T> view() const { return {storage.get(), 0, rows, columns, columns}; }
};

enum class Precision { f32, bf16 };
enum class Activation { none, relu, gelu };  ///< gelu is the exact one, with erf

/// The right-hand side of a matrix product, laid out once for the kernel that will stream it.
class PackedWeights {
 public:
  virtual ~PackedWeights() = default;
  virtual std::size_t outputs() const = 0;
  virtual std::size_t inputs() const = 0;
  virtual Precision precision() const = 0;
};

/// Either side of a product. A bf16 product gives the same bits from rows of Bf16 as from the float32 they
/// were rounded from; rows it writes as Bf16 are those it would write as float32, rounded.
using ProductRows = std::variant<DeviceMatrix<const float>, DeviceMatrix<const Bf16>>;
using ProductResult = std::variant<DeviceMatrix<float>, DeviceMatrix<Bf16>>;

/// What happens to a product before it is written: out = activation(scale * product + bias) + residual.
struct Epilogue {
  float scale = 1;
  DeviceMatrix<float> bias;  ///< 1 x outputs, or empty
  Activation activation = Activation::none;
  DeviceMatrix<float> residual;  ///< rows x outputs, or empty; may be the output itself
};

class TransformerOperations;

class Device {
 public:
  virtual ~Device() = default;

  /// For signatures and benchmarks: "cpu neon_dotprod".
  virtual std::string name() const = 0;
  virtual bool supports(Precision precision) const = 0;

  // Memory, in bytes; ranges outside the storage are the caller's mistake. Threads may download at once.
  virtual std::unique_ptr<Storage> allocate(std::size_t bytes) = 0;
  virtual void upload(Storage& to, std::size_t offset, std::span<const std::byte> from) = 0;
  virtual void download(std::span<std::byte> to, const Storage& from, std::size_t offset) = 0;

  // Matrix products.

  /// `weights` is outputs x inputs, as models store it: out = in * transposed(weights).
  virtual std::unique_ptr<PackedWeights> pack_weights(DeviceMatrix<const float> weights,
                                                      Precision precision) = 0;
  /// in: n x inputs, out: n x outputs; Bf16 only where the weights were packed in bf16. Threads of the
  /// device's pool share the work.
  virtual void multiply(ProductRows in, const PackedWeights& weights, const Epilogue& epilogue,
                        ProductResult out) = 0;

  /// Everything else a transformer encoder needs: compute/transformer.hpp.
  virtual TransformerOperations& transformer() = 0;
};

/// "cpu": the instruction set base/cpu_features.hpp chose, working on `pool`, which must outlive the device.
/// Throws Error(usage) for a name that is none, Error(io) for a device this build or machine has not.
std::unique_ptr<Device> make_device(const std::string& name, ThreadPool& pool);
/// For tests and benchmarks: a given instruction set, which this CPU must support.
std::unique_ptr<Device> make_cpu_device(ThreadPool& pool, Isa isa = chosen_isa());

// Typed conveniences over the bytes above.

template <typename T>
DeviceArray<T> allocate_matrix(Device& device, std::size_t rows, std::size_t columns) {
  return {device.allocate(rows * columns * sizeof(T)), rows, columns};
}
template <typename T>
DeviceArray<T> upload_matrix(Device& device, MatrixView<const T> host) {
  DeviceArray<T> result = allocate_matrix<T>(device, host.rows(), host.columns());
  for (std::size_t row = 0; row < host.rows(); ++row) {
    device.upload(*result.storage, row * host.columns() * sizeof(T), std::as_bytes(host.row(row)));
  }
  return result;
}
template <typename T>
DeviceArray<T> upload_row(Device& device, std::span<const T> host) {
  return upload_matrix(device, MatrixView<const T>(host.data(), 1, host.size()));
}
template <typename T>
void download_row(Device& device, DeviceMatrix<const T> from, std::span<T> to) {
  device.download(std::as_writable_bytes(to), *from.storage, from.offset * sizeof(T));
}

}  // namespace markeval::compute
