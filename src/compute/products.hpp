// Products of matrices in host memory whose both sides change from call to call, either of them taken as it
// is or transposed: what training, covariances and clusters need. Part of a Device (`Device::products()`).
// Inference with fixed weights goes through Device::multiply, which packs them once.
//
// Every element of a result is one sum in the order of the summed dimension: its bits do not depend on the
// number of threads, nor on the rows and columns beside it. On the CPU they are the same on every instruction
// set: float fuses multiply and add, double rounds in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned_buffer.hpp"
#include "base/matrix_view.hpp"
#include "base/parallel.hpp"
#include "base/per_thread.hpp"
#include "compute/network_steps.hpp"

namespace markeval::compute {

/// One side of a product.
template <typename T>
struct Operand {
  MatrixView<const T> matrix;
  bool is_transposed = false;

  std::size_t rows() const { return is_transposed ? matrix.columns() : matrix.rows(); }
  std::size_t columns() const { return is_transposed ? matrix.rows() : matrix.columns(); }
};
template <typename T>
Operand<std::remove_const_t<T>> as_is(MatrixView<T> matrix) {
  return {matrix, false};
}
template <typename T>
Operand<std::remove_const_t<T>> transposed(MatrixView<T> matrix) {
  return {matrix, true};
}

/// A right side in the layout the device likes, for several products with it.
template <typename T>
struct PackedOperand {
  AlignedBuffer<T> panels;
  std::size_t rows = 0;
  std::size_t columns = 0;
};

class Products {
 public:
  virtual ~Products() = default;

  /// For loops around products.
  virtual ThreadPool& pool() const = 0;

  virtual void pack(Operand<float> right, PackedOperand<float>& packed) const = 0;
  virtual void pack(Operand<double> right, PackedOperand<double>& packed) const = 0;

  /// out = left * right, or out += left * right. Called inside a loop of the pool, runs on the calling
  /// thread.
  virtual void multiply(Operand<float> left, const PackedOperand<float>& right, MatrixView<float> out,
                        bool accumulate = false) const = 0;
  virtual void multiply(Operand<double> left, const PackedOperand<double>& right, MatrixView<double> out,
                        bool accumulate = false) const = 0;
  template <typename T>
  void multiply(Operand<T> left, Operand<T> right, MatrixView<T> out, bool accumulate = false) const {
    thread_local PerThread<PackedOperand<T>> packed;
    pack(right, *packed);
    multiply(left, *packed, out, accumulate);
  }

  // What stands between the products of a network. Runs on the calling thread.

  virtual void lstm_step(const LstmStep<float>& step) const = 0;
  virtual void mix_layers(const MixedWord& mix) const = 0;
};

}  // namespace markeval::compute
