// Products with the weight matrix, sums for the bias, and ReLU.
#include "trained/linear.hpp"

#include "trained/sums.hpp"

namespace markeval::trained {

template <typename T>
Linear<T>::Linear(ParameterLayout& layout, const std::string& name, std::size_t inputs, std::size_t outputs,
                  Start weight, Start bias)
    : outputs_(outputs),
      weight_(layout.add(name + ".weight", outputs, inputs, weight)),
      bias_(layout.add(name + ".bias", 1, outputs, bias)) {}

template <typename T>
void Linear<T>::forward(const compute::Products& products, const Parameters<T>& parameters,
                        MatrixView<const T> input, MatrixView<T> output) const {
  products.multiply(compute::as_is(input), compute::transposed(parameters[weight_]), output);
  add_to_rows<T>(products.pool(), parameters[bias_].row(0), output);
}

template <typename T>
void Linear<T>::backward(const compute::Products& products, const Parameters<T>& parameters,
                         MatrixView<const T> input, MatrixView<const T> d_output, MatrixView<T> d_input,
                         Parameters<T>& gradient) const {
  products.multiply(compute::transposed(d_output), compute::as_is(input), gradient[weight_], true);
  add_column_sums<T>(products.pool(), d_output, gradient[bias_].row(0));
  products.multiply(compute::as_is(d_output), compute::as_is(parameters[weight_]), d_input);
}

template <typename T>
void rectify(MatrixView<T> values) {
  for (std::size_t row = 0; row < values.rows(); ++row) {
    for (T& value : values.row(row)) value = value > T(0) ? value : T(0);
  }
}

template <typename T>
void rectify_backward(MatrixView<const T> rectified, MatrixView<T> gradient) {
  for (std::size_t row = 0; row < gradient.rows(); ++row) {
    const T* const value = rectified.row(row).data();
    T* const out = gradient.row(row).data();
    for (std::size_t j = 0; j < gradient.columns(); ++j) out[j] = value[j] > T(0) ? out[j] : T(0);
  }
}

template class Linear<float>;
template class Linear<double>;
template void rectify<float>(MatrixView<float>);
template void rectify<double>(MatrixView<double>);
template void rectify_backward<float>(MatrixView<const float>, MatrixView<float>);
template void rectify_backward<double>(MatrixView<const double>, MatrixView<double>);

}  // namespace markeval::trained
