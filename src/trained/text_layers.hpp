// Layers that look along the words of a text, forward and backward. Attention between the two texts of a pair
// (Mathur et al. 2019, equations 7 to 9): every word becomes the mean of the other text's words, weighted by
// the softmax of its products with them. Pooling: a text's rows -> one row, the largest value and the mean of
// every column side by side. And two such rows -> one that lets them be compared: [u; v; u * v; u - v]
// (Mou et al. 2016).
#pragma once

#include <cstdint>
#include <vector>

#include "base/matrix.hpp"
#include "compute/products.hpp"
#include "trained/sequences.hpp"

namespace markeval::trained {

/// Sequence i < pairs is the first text of pair i, sequence pairs + i its second.
template <typename T>
class PairAttention {
 public:
  /// attended: a row per row of `input`.
  void forward(const compute::Products& products, const TextSpans& sequences, MatrixView<const T> input,
               MatrixView<T> attended);
  /// Adds the gradient of the input to `d_input`.
  void backward(const compute::Products& products, const TextSpans& sequences, MatrixView<const T> input,
                MatrixView<const T> d_attended, MatrixView<T> d_input);

 private:
  /// Weights of one pair; rows: words of the second text, columns: words of the first.
  struct AttentionWeights {
    Matrix<T> over_first;    ///< rows sum to 1
    Matrix<T> over_second;   ///< columns sum to 1
    Matrix<T> d_over_first;  ///< only inside backward()
    Matrix<T> d_over_second;
  };
  std::vector<AttentionWeights> weights_;
};

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

extern template class PairAttention<float>;
extern template class PairAttention<double>;
extern template class MaxMeanPooling<float>;
extern template class MaxMeanPooling<double>;

}  // namespace markeval::trained
