// Where arithmetic happens: the one interface between those who need arithmetic (encoder, geometry, metrics,
// trained metrics) and those who do it (compute/cpu, later compute/cuda; compute/reference is the plain
// double oracle of the tests).
//
// Data live in device memory. Host data go in by `upload` and come out by `download`. On the CPU device
// memory is host memory and the two are plain copies. Two operations take host matrices instead, since what
// they work on comes from the cache or from a file as often as from the device: `match_rows` and
// `products()`. A device with a memory of its own moves their operands itself, all of a call at once.
//
// Operations of one thread are enqueued in the order of the calls: each sees what the ones before it have
// written. A call may return before its work is done; `download`, `match_rows` and `products()` wait for
// theirs. On the CPU all work is done when a call returns.
//
// The result for a row depends on that row, the other operand and the device alone: not on the number of
// threads, the number of rows in the call or the row's place among them. tests/contract holds every device to
// that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

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
  /// Nobody reads what is in it before it is written again: builds with sanitizers check that.
  virtual void forget() {}
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
  auto bytes() const {
    using Byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
    return DeviceMatrix<Byte>{storage, offset * sizeof(T), rows, columns * sizeof(T), stride * sizeof(T)};
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

/// Rows of a matrix in device memory, from `first` on, and where they go.
template <typename T>
struct RowsDownload {
  std::size_t first = 0;
  MatrixView<T> to;
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

/// What `match_rows` says of a row a and a row b, all in float32 and summed in an order that depends on the
/// width alone.
enum class RowRelation {
  squared_distance,  ///< sum of (a - b)^2; exactly 0 for equal rows
  /// Cosine of rows of length 1, as 1 - squared distance / 2: exactly 1 for equal rows, never above 1 or
  /// below -1. A row of zeros has cosine 0 with every other.
  cosine,
  /// Sum of a * b, one column after the other with fused multiply-adds, as a BLAS library sums: for repeating
  /// a program whose results show that rounding.
  inner_product,
};

/// Every row of one text against every row of another: out(i, j) is the relation of first(i) and second(j).
/// Rows are equally wide, `out` is first.rows() x second.rows().
struct RowMatch {
  MatrixView<const float> first;
  MatrixView<const float> second;
  MatrixView<float> out;
};

class Products;
class TransformerOperations;

class Device {
 public:
  virtual ~Device() = default;

  /// For signatures and benchmarks: "cpu neon_dotprod".
  virtual std::string name() const = 0;
  virtual bool supports(Precision precision) const = 0;
  /// The name of the arithmetic, for cache keys and signatures: numbers of equal names have equal bits.
  /// "f32", or "bf16-amx": bf16 rounds differently from one instruction set to the next.
  virtual std::string numerics(Precision precision) const = 0;
  /// Tokens of a batch that keep the device busy.
  virtual std::size_t batch_tokens() const = 0;

  // Memory, in bytes; ranges outside the storage are the caller's mistake. Callers use the typed functions
  // below.
  virtual std::unique_ptr<Storage> allocate(std::size_t bytes) = 0;
  /// Copies all rows in one call, however far apart they stand on either side. Both have the same shape.
  virtual void upload(MatrixView<const std::byte> from, DeviceMatrix<std::byte> to) = 0;
  /// Likewise. Several threads may download at once.
  virtual void download(DeviceMatrix<const std::byte> from, MatrixView<std::byte> to) = 0;
  /// Several ranges of rows in one transfer.
  virtual void download_parts(DeviceMatrix<const std::byte> from,
                              std::span<const RowsDownload<std::byte>> parts) = 0;

  // Matrix products.

  /// `weights` is outputs x inputs, as models store it: out = in * transposed(weights).
  virtual std::unique_ptr<PackedWeights> pack_weights(DeviceMatrix<const float> weights,
                                                      Precision precision) = 0;
  /// in: n x inputs, out: n x outputs; Bf16 only where the weights were packed in bf16. Threads of the
  /// device's pool share the work.
  virtual void multiply(ProductRows in, const PackedWeights& weights, const Epilogue& epilogue,
                        ProductResult out) = 0;

  /// Products of host matrices whose both sides change: compute/products.hpp.
  virtual const Products& products() const = 0;
  /// Everything else a transformer encoder needs: compute/transformer.hpp.
  virtual TransformerOperations& transformer() = 0;

  /// Holds the token rows of many pairs of texts against each other, in host memory. Threads of the device's
  /// pool share the pairs.
  virtual void match_rows(RowRelation relation, std::span<const RowMatch> matches) = 0;
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
void upload(Device& device, std::type_identity_t<MatrixView<const T>> from, DeviceMatrix<T> to) {
  device.upload({reinterpret_cast<const std::byte*>(from.data()), from.rows(), from.columns() * sizeof(T),
                 from.stride() * sizeof(T)},
                to.bytes());
}
template <typename T>
DeviceArray<T> upload_matrix(Device& device, MatrixView<const T> host) {
  DeviceArray<T> result = allocate_matrix<T>(device, host.rows(), host.columns());
  upload(device, host, result.view());
  return result;
}
template <typename T>
DeviceArray<T> upload_row(Device& device, std::span<const T> host) {
  return upload_matrix(device, MatrixView<const T>(host.data(), 1, host.size()));
}
template <typename T>
void download(Device& device, std::type_identity_t<DeviceMatrix<const T>> from, MatrixView<T> to) {
  device.download(from.bytes(), {reinterpret_cast<std::byte*>(to.data()), to.rows(), to.columns() * sizeof(T),
                                 to.stride() * sizeof(T)});
}

template <typename T>
void download_parts(Device& device, std::type_identity_t<DeviceMatrix<const T>> from,
                    std::span<const RowsDownload<T>> parts) {
  std::vector<RowsDownload<std::byte>> bytes;
  for (const auto& [first, to] : parts) {
    bytes.push_back({first,
                     {reinterpret_cast<std::byte*>(to.data()), to.rows(), to.columns() * sizeof(T),
                      to.stride() * sizeof(T)}});
  }
  device.download_parts(from.bytes(), bytes);
}

/// Row after row, without gaps.
template <typename T>
std::vector<std::remove_const_t<T>> download_matrix(Device& device, DeviceMatrix<T> from) {
  std::vector<std::remove_const_t<T>> result(from.rows * from.columns);
  download(device, from, MatrixView(result.data(), from.rows, from.columns));
  return result;
}

}  // namespace markeval::compute
