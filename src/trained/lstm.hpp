// A bidirectional LSTM (Hochreiter and Schmidhuber 1997) over the texts of a batch, forward and backward.
//   i, f, o = sigmoid(...), g = tanh(...) of W x + U h + b;  c = f c + i g;  h = o tanh(c)
// Gates stand in the order i f g o, as in PyTorch; there is one bias where PyTorch has two that are only ever
// added. Weights of the direction left to right come first, then those of the other.
#pragma once

#include <string>

#include "base/matrix.hpp"
#include "compute/products.hpp"
#include "trained/parameters.hpp"
#include "trained/sequences.hpp"

namespace markeval::trained {

template <typename T>
class BiLstm {
 public:
  BiLstm(ParameterLayout& layout, const std::string& name, std::size_t inputs, std::size_t hidden);

  std::size_t outputs() const { return 2 * hidden_; }

  /// Before forward(), whenever the parameters have changed.
  void pack(const compute::Products& products, const Parameters<T>& parameters);
  /// input: a row per word, `inputs` wide. output: a row per word, both directions side by side. In training
  /// the three are looked at again by backward().
  void forward(const compute::Products& products, const Parameters<T>& parameters, const TextSpans& sequences,
               MatrixView<const T> input, Pass pass, MatrixView<T> output);
  /// What forward() read and wrote.
  struct Passed {
    MatrixView<const T> input, output;
  };
  /// Adds to `gradient` what the weights contribute; writes the gradient of the input unless `d_input` is
  /// empty.
  void backward(const compute::Products& products, const Parameters<T>& parameters,
                const TextSpans& sequences, const Passed& passed, MatrixView<const T> d_output,
                MatrixView<T> d_input, Parameters<T>& gradient);

 private:
  /// A task: some texts of about the same length in one direction.
  struct SequenceGroup {
    std::size_t direction, first, size;  ///< texts [first, first + size) of those in order of length
    Matrix<T> state;                     ///< h of the step before, later the gradient of h of the step after
    Matrix<T> memory;                    ///< c likewise
    Matrix<T> gates;                     ///< of one step
  };
  /// Calls `run(group)` for all groups of texts and both directions.
  template <typename Run>
  void for_groups(const TextSpans& sequences, ThreadPool& pool, const Run& run);
  void run_forward(const compute::Products& products, const Parameters<T>& parameters,
                   const TextSpans& sequences, Pass pass, SequenceGroup& group, MatrixView<T> output);
  void run_backward(const compute::Products& products, const TextSpans& sequences, SequenceGroup& group,
                    MatrixView<const T> d_output);

  std::size_t inputs_, hidden_;
  std::size_t weight_input_, weight_hidden_, bias_;  ///< 8h x inputs, 8h x h, 1 x 8h
  Matrix<T> gates_;     ///< rows x 8h: first what the input gives, then the gates, then their gradients
  Matrix<T> memory_;    ///< rows x 2h: c
  Matrix<T> squashed_;  ///< rows x 2h: tanh(c)
  Matrix<T> before_;    ///< rows x h: h of the step before
  std::vector<SequenceGroup> groups_;
  compute::PackedOperand<T> packed_input_, packed_[2], packed_back_[2];
};

extern template class BiLstm<float>;
extern template class BiLstm<double>;

}  // namespace markeval::trained
