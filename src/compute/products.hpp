// Products of matrices in host memory whose both sides change from call to call, either of them taken as it
// is or transposed: what training, covariances and clusters need. Inference with fixed weights goes
// through device.hpp, which packs them once.
//
// Every element of a result is one sum in the order of the summed dimension: its bits do not depend on the
// number of threads, nor on the rows and columns beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned_buffer.hpp"
#include "base/cpu_features.hpp"
#include "base/matrix_view.hpp"
#include "base/parallel.hpp"

namespace markeval::compute {

namespace cpu {
struct Kernels;
}

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

/// A right side in the layout of the kernel, for several products with it.
template <typename T>
struct PackedOperand {
  AlignedBuffer<T> panels;
  std::size_t rows = 0;
  std::size_t columns = 0;
};

/// Rows [begin, end) of a matrix are 0 in all columns but these, which rise.
struct KeptColumns {
  std::size_t begin;
  std::size_t end;
  std::span<const std::uint32_t> columns;
};

/// A matrix of which much is 0, as dropout of whole columns leaves it.
template <typename T>
struct SparseRows {
  MatrixView<const T> matrix;
  std::span<const KeptColumns> kept;  ///< all rows, in order; empty: any number may be other than 0
};

/// Same bits on every instruction set. float fuses multiply and add, double rounds in between.
class Products {
 public:
  /// `pool` must outlive it; `isa` must be one this CPU supports.
  explicit Products(ThreadPool& pool, Isa isa = chosen_isa());

  ThreadPool& pool() const { return pool_; }

  void pack(Operand<float> right, PackedOperand<float>& packed) const;
  void pack(Operand<double> right, PackedOperand<double>& packed) const;

  /// out = left * right, or out += left * right. Called inside a loop of the pool, runs on the calling
  /// thread.
  void multiply(Operand<float> left, const PackedOperand<float>& right, MatrixView<float> out,
                bool accumulate = false) const;
  void multiply(Operand<double> left, const PackedOperand<double>& right, MatrixView<double> out,
                bool accumulate = false) const;
  template <typename T>
  void multiply(Operand<T> left, Operand<T> right, MatrixView<T> out, bool accumulate = false) const {
    thread_local PackedOperand<T> packed;
    pack(right, packed);
    multiply(left, packed, out, accumulate);
  }

  // The same bits as without `kept`, in less time.

  /// out = left * right.
  void multiply(SparseRows<float> left, const PackedOperand<float>& right, MatrixView<float> out) const;
  void multiply(SparseRows<double> left, const PackedOperand<double>& right, MatrixView<double> out) const;
  /// out += transposed(left) * right.
  void add_product(MatrixView<const float> left, SparseRows<float> right, MatrixView<float> out) const;
  void add_product(MatrixView<const double> left, SparseRows<double> right, MatrixView<double> out) const;
  /// The kept columns of out = left * right; the others become 0 or what they are.
  void multiply_columns(MatrixView<const float> left, MatrixView<const float> right,
                        std::span<const KeptColumns> kept, MatrixView<float> out) const;
  void multiply_columns(MatrixView<const double> left, MatrixView<const double> right,
                        std::span<const KeptColumns> kept, MatrixView<double> out) const;

 private:
  ThreadPool& pool_;
  const cpu::Kernels* kernels_;
};

}  // namespace markeval::compute
