// Dot-product attention between the two texts of a pair, both ways (Mathur et al. 2019, equations 7 to 9):
// every word becomes the mean of the other text's words, weighted by the softmax of its products with them.
#pragma once

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

extern template class PairAttention<float>;
extern template class PairAttention<double>;

}  // namespace markeval::trained
