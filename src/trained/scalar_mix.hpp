// A learned weighted mean of all layers of the frozen encoder (Peters et al. 2018):
//   gamma * sum over layers of softmax(s)[layer] * vector[layer]
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "trained/half.hpp"
#include "trained/parameters.hpp"

namespace markeval::trained {

template <typename T>
class ScalarMix {
 public:
  ScalarMix(ParameterLayout& layout, const std::string& name, std::size_t layers, std::size_t width);

  /// words: for every row of `mixed`, layers x width numbers.
  void forward(ThreadPool& pool, const Parameters<T>& parameters, std::span<const Half* const> words,
               MatrixView<T> mixed) const;
  /// Adds to `gradient`; the vectors themselves are frozen.
  void backward(ThreadPool& pool, const Parameters<T>& parameters, std::span<const Half* const> words,
                MatrixView<const T> d_mixed, Parameters<T>& gradient) const;

 private:
  std::vector<T> shares(const Parameters<T>& parameters) const;  ///< softmax(s)
  std::size_t layers_, width_;
  std::size_t scalars_, gamma_;
};

extern template class ScalarMix<float>;
extern template class ScalarMix<double>;

}  // namespace markeval::trained
