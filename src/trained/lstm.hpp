// A bidirectional LSTM (Hochreiter and Schmidhuber 1997) over the texts of a batch, forward and backward.
//   i, f, o = sigmoid(...), g = tanh(...) of W x + U h + b;  c = f c + i g;  h = o tanh(c)
// Gates stand in the order i f g o, as in PyTorch; there is one bias where PyTorch has two that are only ever
// added. Weights of the direction left to right come first, then those of the other.
#pragma once

#include <string>

#include "compute/products.hpp"
#include "trained/matrix.hpp"
#include "trained/parameters.hpp"
#include "trained/sequences.hpp"

namespace markeval::trained {

template <typename T>
class BiLstm {
 public:
  BiLstm(ParameterLayout& layout, const std::string& name, std::size_t inputs, std::size_t hidden);

  std::size_t outputs() const { return 2 * hidden_; }

  /// input: a row per word, `inputs` wide. output: a row per word, both directions side by side. The three
  /// are looked at again by backward().
  void forward(const compute::Products& products, const Parameters<T>& parameters, const TextSpans& sequences,
               compute::SparseRows<T> input, MatrixView<T> output);
  /// Adds to `gradient` what the weights contribute; writes the gradient of the input unless `d_input` is
  /// empty. `input` and `output` as at forward().
  void backward(const compute::Products& products, const Parameters<T>& parameters,
                const TextSpans& sequences, compute::SparseRows<T> input, MatrixView<const T> output,
                MatrixView<const T> d_output, MatrixView<T> d_input, Parameters<T>& gradient);

 private:
  /// A task: some texts of about the same length in one direction.
  struct SequenceGroup {
    Matrix<T> state;   ///< h of the step before, later the gradient of h of the step after
    Matrix<T> memory;  ///< c likewise
    Matrix<T> gates;   ///< of one step
  };
  void run_forward(const compute::Products& products, const Parameters<T>& parameters,
                   const TextSpans& sequences, std::size_t direction, std::size_t first, SequenceGroup& group,
                   MatrixView<T> output);
  void run_backward(const compute::Products& products, const TextSpans& sequences, std::size_t direction,
                    std::size_t first, SequenceGroup& group, MatrixView<const T> d_output);
  std::size_t groups(const TextSpans& sequences) const;

  std::size_t inputs_, hidden_;
  std::size_t weight_input_, weight_hidden_, bias_;  ///< 8h x inputs, 8h x h, 1 x 8h
  Matrix<T> gates_;     ///< rows x 8h: first what the input gives, then the gates, then their gradients
  Matrix<T> memory_;    ///< rows x 2h: c
  Matrix<T> squashed_;  ///< rows x 2h: tanh(c)
  Matrix<T> before_;    ///< rows x h: h of the step before
  std::vector<SequenceGroup> groups_;
  compute::PackedOperand<T> packed_input_, packed_[2];
};

extern template class BiLstm<float>;
extern template class BiLstm<double>;

}  // namespace markeval::trained
