// Layers that see one row at a time, forward and backward: out = W x + b with ReLU, and ESIM's projection
// out = W [u; v; u * v; u - v] + b without ever forming the four: with W = [A B C D] it is
// (A + D) u + (B - D) v + C (u * v), three products instead of four.
#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "base/matrix.hpp"
#include "compute/products.hpp"
#include "trained/parameters.hpp"

namespace markeval::trained {

// Biases added to the rows of a batch, and sums over the rows in a fixed order, for their gradients.

/// Every row += `bias`.
template <typename T>
void add_to_rows(ThreadPool& pool, std::span<const T> bias, MatrixView<T> matrix) {
  pool.for_each(matrix.rows(), [&](std::size_t row, std::size_t) {
    T* const values = matrix.row(row).data();
    for (std::size_t j = 0; j < bias.size(); ++j) values[j] += bias[j];
  });
}

/// sums[j] += the sum of column j, row after row.
template <typename T>
void add_column_sums(ThreadPool& pool, MatrixView<const T> matrix, std::span<T> sums) {
  constexpr std::size_t kColumns = 128;
  pool.for_each((sums.size() + kColumns - 1) / kColumns, [&](std::size_t block, std::size_t) {
    const std::size_t first = block * kColumns;
    const std::size_t count = std::min(kColumns, sums.size() - first);
    T total[kColumns] = {};
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
      const T* const values = matrix.row(row).data() + first;
      for (std::size_t j = 0; j < count; ++j) total[j] += values[j];
    }
    for (std::size_t j = 0; j < count; ++j) sums[first + j] += total[j];
  });
}

template <typename T>
class Linear {
 public:
  Linear(ParameterLayout& layout, const std::string& name, std::size_t inputs, std::size_t outputs,
         Start weight = Start::xavier, Start bias = Start::zero);

  std::size_t outputs() const { return outputs_; }

  void forward(const compute::Products& products, const Parameters<T>& parameters, MatrixView<const T> input,
               MatrixView<T> output) const;
  /// Adds to `gradient`; writes `d_input`.
  void backward(const compute::Products& products, const Parameters<T>& parameters, MatrixView<const T> input,
                MatrixView<const T> d_output, MatrixView<T> d_input, Parameters<T>& gradient) const;

  MatrixView<T> weight(Parameters<T>& parameters) const { return parameters[weight_]; }
  std::span<T> bias(Parameters<T>& parameters) const { return parameters[bias_].row(0); }
  MatrixView<const T> weight(const Parameters<T>& parameters) const { return parameters[weight_]; }
  std::span<const T> bias(const Parameters<T>& parameters) const { return parameters[bias_].row(0); }

 private:
  std::size_t outputs_;
  std::size_t weight_, bias_;  ///< outputs x inputs, 1 x outputs
};

/// Negative values become 0.
template <typename T>
void rectify(MatrixView<T> values);
/// The gradient is 0 where the rectified value is.
template <typename T>
void rectify_backward(MatrixView<const T> rectified, MatrixView<T> gradient);

/// A row for every word of either text, of equal width.
template <typename T>
struct Sides {
  MatrixView<T> u, v;
};

template <typename T>
class Comparison {
 public:
  /// `width`: of u and v.
  Comparison(ParameterLayout& layout, const std::string& name, std::size_t width, std::size_t outputs);

  /// Before forward(), whenever the parameters have changed.
  void pack(const compute::Products& products, const Parameters<T>& parameters);
  void forward(const compute::Products& products, const Parameters<T>& parameters, MatrixView<const T> u,
               MatrixView<const T> v, MatrixView<T> output);
  /// After forward() of the same rows: adds to `gradient`; writes the gradients of both.
  void backward(const compute::Products& products, const Parameters<T>& parameters, Sides<const T> input,
                MatrixView<const T> d_output, Sides<T> d_input, Parameters<T>& gradient);

 private:
  /// Columns of one of the four in a matrix like W.
  template <typename U>
  MatrixView<U> part(MatrixView<U> weight, std::size_t index) const {
    return {weight.data() + index * width_, weight.rows(), width_, weight.stride()};
  }
  std::size_t width_, outputs_;
  std::size_t weight_, bias_;  ///< outputs x 4 width, 1 x outputs
  Matrix<T> of_u_, of_v_;      ///< A + D, B - D; later the gradients by which A and B change
  Matrix<T> product_;          ///< u * v; later its gradient
  compute::PackedOperand<T> packed_u_, packed_v_, packed_product_;
};

extern template class Linear<float>;
extern template class Linear<double>;
extern template class Comparison<float>;
extern template class Comparison<double>;

}  // namespace markeval::trained
