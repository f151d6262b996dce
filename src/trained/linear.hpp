// out = W x + b for every row, forward and backward.
#pragma once

#include <string>

#include "compute/products.hpp"
#include "trained/parameters.hpp"

namespace markeval::trained {

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

extern template class Linear<float>;
extern template class Linear<double>;

}  // namespace markeval::trained
