// out = W [u; v; u * v; u - v] + b for every row, without ever forming the four: with W = [A B C D] it is
// (A + D) u + (B - D) v + C (u * v), three products instead of four. ESIM's projection.
#pragma once

#include <string>

#include "compute/products.hpp"
#include "trained/parameters.hpp"

namespace markeval::trained {

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

extern template class Comparison<float>;
extern template class Comparison<double>;

}  // namespace markeval::trained
