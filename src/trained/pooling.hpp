// A text's rows -> one row: the largest value and the mean of every column, side by side. And two rows ->
// one that lets them be compared: [u; v; u * v; u - v] (Mou et al. 2016).
#pragma once

#include <cstdint>
#include <vector>

#include "base/matrix.hpp"
#include "base/parallel.hpp"
#include "trained/sequences.hpp"

namespace markeval::trained {

template <typename T>
class MaxMeanPooling {
 public:
  /// pooled: a row per sequence, twice as wide as `input`: maxima, then means.
  void forward(ThreadPool& pool, const TextSpans& sequences, MatrixView<const T> input, Pass pass,
               MatrixView<T> pooled);
  /// Writes `d_input`. Equal maxima: the first one gets the gradient.
  void backward(ThreadPool& pool, const TextSpans& sequences, MatrixView<const T> d_pooled,
                MatrixView<T> d_input) const;

 private:
  Matrix<std::uint32_t> largest_;  ///< row within the text, by sequence and column
};

/// Row i of `out`, four times as wide: [u; v; u * v; u - v] of row i of both.
template <typename T>
void compare_rows(ThreadPool& pool, MatrixView<const T> u, MatrixView<const T> v, MatrixView<T> out);
/// Writes the gradients of both.
template <typename T>
void compare_rows_backward(ThreadPool& pool, MatrixView<const T> u, MatrixView<const T> v,
                           MatrixView<const T> d_out, MatrixView<T> d_u, MatrixView<T> d_v);

extern template class MaxMeanPooling<float>;
extern template class MaxMeanPooling<double>;

}  // namespace markeval::trained
