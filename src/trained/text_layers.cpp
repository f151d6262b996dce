// Softmax along rows and columns of one product matrix per pair, largest value and mean per column, the
// four-part comparison of rows, and the gradients of all.
#include "trained/text_layers.hpp"

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

template <typename T>
void MaxMeanPooling<T>::forward(ThreadPool& pool, const TextSpans& sequences, MatrixView<const T> input,
                                Pass pass, MatrixView<T> pooled) {
  const std::size_t width = input.columns();
  const bool keeps_words = pass == Pass::training;
  if (keeps_words) largest_.resize(sequences.count(), width);
  pool.for_each(sequences.count(), [&](std::size_t sequence, std::size_t) {
    T* const __restrict largest = pooled.row(sequence).data();
    T* const __restrict mean = largest + width;
    std::copy_n(input.row(sequences.begin(sequence)).data(), width, largest);
    std::copy_n(largest, width, mean);
    std::uint32_t* const word_of = keeps_words ? largest_.row(sequence).data() : nullptr;
    if (keeps_words) std::fill_n(word_of, width, 0u);
    for (std::size_t word = 1; word < sequences.length(sequence); ++word) {
      const T* const values = input.row(sequences.begin(sequence) + word).data();
      for (std::size_t j = 0; j < width; ++j) mean[j] += values[j];
      for (std::size_t j = 0; keeps_words && j < width; ++j) {
        if (values[j] > largest[j]) word_of[j] = static_cast<std::uint32_t>(word);
      }
      for (std::size_t j = 0; j < width; ++j) largest[j] = values[j] > largest[j] ? values[j] : largest[j];
    }
    for (std::size_t j = 0; j < width; ++j) mean[j] /= static_cast<T>(sequences.length(sequence));
  });
}

template <typename T>
void MaxMeanPooling<T>::backward(ThreadPool& pool, const TextSpans& sequences, MatrixView<const T> d_pooled,
                                 MatrixView<T> d_input) const {
  const std::size_t width = d_input.columns();
  pool.for_each(sequences.count(), [&](std::size_t sequence, std::size_t) {
    const std::uint32_t* const word_of = largest_.row(sequence).data();
    const T* const d_largest = d_pooled.row(sequence).data();
    const T* const d_mean = d_largest + width;
    const T share = T(1) / static_cast<T>(sequences.length(sequence));
    for (std::size_t word = 0; word < sequences.length(sequence); ++word) {
      T* const out = d_input.row(sequences.begin(sequence) + word).data();
      for (std::size_t j = 0; j < width; ++j)
        out[j] = d_mean[j] * share + (word_of[j] == word ? d_largest[j] : T(0));
    }
  });
}

template <typename T>
void compare_rows(ThreadPool& pool, MatrixView<const T> u, MatrixView<const T> v, MatrixView<T> out) {
  const std::size_t width = u.columns();
  pool.for_each(u.rows(), [&](std::size_t row, std::size_t) {
    const T* const a = u.row(row).data();
    const T* const b = v.row(row).data();
    T* const to = out.row(row).data();
    std::copy_n(a, width, to);
    std::copy_n(b, width, to + width);
    for (std::size_t j = 0; j < width; ++j) to[2 * width + j] = a[j] * b[j];
    for (std::size_t j = 0; j < width; ++j) to[3 * width + j] = a[j] - b[j];
  });
}

template <typename T>
void compare_rows_backward(ThreadPool& pool, MatrixView<const T> u, MatrixView<const T> v,
                           MatrixView<const T> d_out, MatrixView<T> d_u, MatrixView<T> d_v) {
  const std::size_t width = u.columns();
  pool.for_each(u.rows(), [&](std::size_t row, std::size_t) {
    const T* const a = u.row(row).data();
    const T* const b = v.row(row).data();
    const T* const from = d_out.row(row).data();
    T* const to_a = d_u.row(row).data();
    T* const to_b = d_v.row(row).data();
    for (std::size_t j = 0; j < width; ++j) {
      const T product = from[2 * width + j], difference = from[3 * width + j];
      to_a[j] = from[j] + product * b[j] + difference;
      to_b[j] = from[width + j] + product * a[j] - difference;
    }
  });
}

template class PairAttention<float>;
template class PairAttention<double>;
template class MaxMeanPooling<float>;
template class MaxMeanPooling<double>;
template void compare_rows<float>(ThreadPool&, MatrixView<const float>, MatrixView<const float>,
                                  MatrixView<float>);
template void compare_rows<double>(ThreadPool&, MatrixView<const double>, MatrixView<const double>,
                                   MatrixView<double>);
template void compare_rows_backward<float>(ThreadPool&, MatrixView<const float>, MatrixView<const float>,
                                           MatrixView<const float>, MatrixView<float>, MatrixView<float>);
template void compare_rows_backward<double>(ThreadPool&, MatrixView<const double>, MatrixView<const double>,
                                            MatrixView<const double>, MatrixView<double>, MatrixView<double>);

}  // namespace markeval::trained
