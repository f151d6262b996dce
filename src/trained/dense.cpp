// Products with the weight matrix, sums for the bias, and ReLU. The combined weights of a comparison are
// packed once; its backward pass splits the gradient into the four parts again.
#include "trained/dense.hpp"

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

template <typename T>
Comparison<T>::Comparison(ParameterLayout& layout, const std::string& name, std::size_t width,
                          std::size_t outputs)
    : width_(width),
      outputs_(outputs),
      weight_(layout.add(name + ".weight", outputs, 4 * width, Start::xavier)),
      bias_(layout.add(name + ".bias", 1, outputs, Start::zero)) {}

template <typename T>
void Comparison<T>::pack(const compute::Products& products, const Parameters<T>& parameters) {
  const MatrixView<const T> weight = parameters[weight_], difference = part(weight, 3);
  of_u_.resize(outputs_, width_);
  of_v_.resize(outputs_, width_);
  for (std::size_t row = 0; row < outputs_; ++row) {
    for (std::size_t j = 0; j < width_; ++j) {
      of_u_.row(row)[j] = weight(row, j) + difference(row, j);
      of_v_.row(row)[j] = weight(row, width_ + j) - difference(row, j);
    }
  }
  products.pack(compute::transposed(of_u_.view()), packed_u_);
  products.pack(compute::transposed(of_v_.view()), packed_v_);
  products.pack(compute::transposed(part(weight, 2)), packed_product_);
}

template <typename T>
void Comparison<T>::forward(const compute::Products& products, const Parameters<T>& parameters,
                            MatrixView<const T> u, MatrixView<const T> v, MatrixView<T> output) {
  product_.resize(u.rows(), width_);
  products.pool().for_each(u.rows(), [&](std::size_t row, std::size_t) {
    const T* const a = u.row(row).data();
    const T* const b = v.row(row).data();
    T* const to = product_.row(row).data();
    for (std::size_t j = 0; j < width_; ++j) to[j] = a[j] * b[j];
  });
  products.multiply(compute::as_is(u), packed_u_, output);
  products.multiply(compute::as_is(v), packed_v_, output, true);
  products.multiply(compute::as_is(product_.view()), packed_product_, output, true);
  add_to_rows<T>(products.pool(), parameters[bias_].row(0), output);
}

template <typename T>
void Comparison<T>::backward(const compute::Products& products, const Parameters<T>& parameters,
                             Sides<const T> input, MatrixView<const T> d_output, Sides<T> d_input,
                             Parameters<T>& gradient) {
  const MatrixView<T> d_weight = gradient[weight_];
  products.multiply(compute::transposed(d_output), compute::as_is(product_.view()), part(d_weight, 2), true);
  add_column_sums<T>(products.pool(), d_output, gradient[bias_].row(0));
  products.multiply(compute::as_is(d_output), compute::as_is(of_u_.view()), d_input.u);
  products.multiply(compute::as_is(d_output), compute::as_is(of_v_.view()), d_input.v);
  products.multiply(compute::as_is(d_output), compute::as_is(part(parameters[weight_], 2)), product_.view());
  products.pool().for_each(input.u.rows(), [&](std::size_t row, std::size_t) {
    const T* const a = input.u.row(row).data();
    const T* const b = input.v.row(row).data();
    const T* const d = product_.row(row).data();
    T* const to_a = d_input.u.row(row).data();
    T* const to_b = d_input.v.row(row).data();
    for (std::size_t j = 0; j < width_; ++j) {
      to_a[j] += d[j] * b[j];
      to_b[j] += d[j] * a[j];
    }
  });
  // D changes by what A does less what B does.
  products.multiply(compute::transposed(d_output), compute::as_is(input.u), of_u_.view());
  products.multiply(compute::transposed(d_output), compute::as_is(input.v), of_v_.view());
  for (std::size_t row = 0; row < outputs_; ++row) {
    const T* const by_u = of_u_.row(row).data();
    const T* const by_v = of_v_.row(row).data();
    T* const to = d_weight.row(row).data();
    for (std::size_t j = 0; j < width_; ++j) {
      to[j] += by_u[j];
      to[width_ + j] += by_v[j];
      to[3 * width_ + j] += by_u[j] - by_v[j];
    }
  }
}

template class Linear<float>;
template class Linear<double>;
template void rectify<float>(MatrixView<float>);
template void rectify<double>(MatrixView<double>);
template void rectify_backward<float>(MatrixView<const float>, MatrixView<float>);
template void rectify_backward<double>(MatrixView<const double>, MatrixView<double>);
template class Comparison<float>;
template class Comparison<double>;

}  // namespace markeval::trained
