// Softmax along rows and columns of one product matrix per pair, and the gradients of both.
#include "trained/attention.hpp"

#include <algorithm>

#include "trained/functions.hpp"

namespace markeval::trained {
namespace {

template <typename T>
void softmax_rows(MatrixView<T> values) {
  for (std::size_t row = 0; row < values.rows(); ++row) {
    const std::span<T> line = values.row(row);
    const T largest = *std::ranges::max_element(line);
    for (T& value : line) value = exponential(value - largest);
    T sum = 0;
    for (const T value : line) sum += value;
    for (T& value : line) value /= sum;
  }
}

template <typename T>
void softmax_columns(MatrixView<T> values) {
  for (std::size_t column = 0; column < values.columns(); ++column) {
    T largest = values(0, column);
    for (std::size_t row = 1; row < values.rows(); ++row) largest = std::max(largest, values(row, column));
    T sum = 0;
    for (std::size_t row = 0; row < values.rows(); ++row) {
      values(row, column) = exponential(values(row, column) - largest);
      sum += values(row, column);
    }
    for (std::size_t row = 0; row < values.rows(); ++row) values(row, column) /= sum;
  }
}

/// gradient = weights * (gradient - sum(weights * gradient)), along rows.
template <typename T>
void softmax_rows_backward(MatrixView<const T> weights, MatrixView<T> gradient) {
  for (std::size_t row = 0; row < weights.rows(); ++row) {
    T sum = 0;
    for (std::size_t column = 0; column < weights.columns(); ++column)
      sum += weights(row, column) * gradient(row, column);
    for (std::size_t column = 0; column < weights.columns(); ++column)
      gradient(row, column) = weights(row, column) * (gradient(row, column) - sum);
  }
}
template <typename T>
void softmax_columns_backward(MatrixView<const T> weights, MatrixView<T> gradient) {
  for (std::size_t column = 0; column < weights.columns(); ++column) {
    T sum = 0;
    for (std::size_t row = 0; row < weights.rows(); ++row)
      sum += weights(row, column) * gradient(row, column);
    for (std::size_t row = 0; row < weights.rows(); ++row)
      gradient(row, column) = weights(row, column) * (gradient(row, column) - sum);
  }
}

template <typename T>
MatrixView<T> rows_of(const TextSpans& sequences, std::size_t sequence, MatrixView<T> matrix) {
  return matrix.rows_from(sequences.begin(sequence), sequences.length(sequence));
}

}  // namespace

template <typename T>
void PairAttention<T>::forward(const compute::Products& products, const TextSpans& sequences,
                               MatrixView<const T> input, MatrixView<T> attended) {
  const std::size_t pairs = sequences.count() / 2;
  if (weights_.size() < pairs) weights_.resize(pairs);
  products.pool().for_each(pairs, [&](std::size_t pair, std::size_t) {
    AttentionWeights& weights = weights_[pair];
    const auto first = rows_of(sequences, pair, input);
    const auto second = rows_of(sequences, pairs + pair, input);
    weights.over_first.resize(second.rows(), first.rows());
    weights.over_second.resize(second.rows(), first.rows());
    products.multiply(compute::as_is(second), compute::transposed(first), weights.over_first.view());
    std::copy_n(weights.over_first.data(), second.rows() * first.rows(), weights.over_second.data());
    softmax_rows(weights.over_first.view());
    softmax_columns(weights.over_second.view());
    products.multiply(compute::as_is(weights.over_first.view()), compute::as_is(first),
                      rows_of(sequences, pairs + pair, attended));
    products.multiply(compute::transposed(weights.over_second.view()), compute::as_is(second),
                      rows_of(sequences, pair, attended));
  });
}

template <typename T>
void PairAttention<T>::backward(const compute::Products& products, const TextSpans& sequences,
                                MatrixView<const T> input, MatrixView<const T> d_attended,
                                MatrixView<T> d_input) {
  const std::size_t pairs = sequences.count() / 2;
  products.pool().for_each(pairs, [&](std::size_t pair, std::size_t) {
    AttentionWeights& weights = weights_[pair];
    const auto first = rows_of(sequences, pair, input);
    const auto second = rows_of(sequences, pairs + pair, input);
    const auto d_of_first = rows_of(sequences, pair, d_attended);
    const auto d_of_second = rows_of(sequences, pairs + pair, d_attended);
    const auto d_first = rows_of(sequences, pair, d_input);
    const auto d_second = rows_of(sequences, pairs + pair, d_input);
    Matrix<T>& scores = weights.d_over_first;
    scores.resize(second.rows(), first.rows());
    weights.d_over_second.resize(second.rows(), first.rows());
    products.multiply(compute::as_is(d_of_second), compute::transposed(first), scores.view());
    products.multiply(compute::as_is(second), compute::transposed(d_of_first), weights.d_over_second.view());
    products.multiply(compute::transposed(weights.over_first.view()), compute::as_is(d_of_second), d_first,
                      true);
    products.multiply(compute::as_is(weights.over_second.view()), compute::as_is(d_of_first), d_second, true);
    softmax_rows_backward<T>(weights.over_first.view(), scores.view());
    softmax_columns_backward<T>(weights.over_second.view(), weights.d_over_second.view());
    for (std::size_t i = 0; i < second.rows() * first.rows(); ++i)
      scores.data()[i] += weights.d_over_second.data()[i];
    products.multiply(compute::as_is(scores.view()), compute::as_is(first), d_second, true);
    products.multiply(compute::transposed(scores.view()), compute::as_is(second), d_first, true);
  });
}

template class PairAttention<float>;
template class PairAttention<double>;

}  // namespace markeval::trained
