// A learned weighted mean of all layers of the frozen encoder (Peters et al. 2018):
//   gamma * sum over layers of softmax(s)[layer] * vector[layer]
// Every number of every layer may be standardised first, (value - mean) / deviation. Means and deviations are
// kept with the parameters, so that they travel with the model, but have no gradient and are never learned.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/float16.hpp"
#include "base/parallel.hpp"
#include "trained/parameters.hpp"

namespace markeval::trained {

template <typename T>
class ScalarMix {
 public:
  ScalarMix(ParameterLayout& layout, const std::string& name, std::size_t layers, std::size_t width,
            bool standardised = false);

  /// layers x width numbers each; only where it was made for it.
  void standardise(Parameters<T>& parameters, std::span<const double> means,
                   std::span<const double> deviations) const;

  /// What the parameters make of a word: the sum over layers of weight * ((value - offset) * factor).
  struct Mixture {
    std::vector<T> weights;         ///< of the layers
    std::vector<T> offset, factor;  ///< layers x width
  };
  Mixture mixture(const Parameters<T>& parameters) const;
  /// One word: layers x width numbers.
  void mix(const Mixture& mixture, const Half* word, T* mixed) const;

  /// words: for every row of `mixed`, layers x width numbers.
  void forward(ThreadPool& pool, const Parameters<T>& parameters, std::span<const Half* const> words,
               MatrixView<T> mixed) const;
  /// Adds to `gradient`; the vectors themselves are frozen.
  void backward(ThreadPool& pool, const Parameters<T>& parameters, std::span<const Half* const> words,
                MatrixView<const T> d_mixed, Parameters<T>& gradient) const;

 private:
  std::size_t layers_, width_;
  std::size_t scalars_, gamma_;
  std::optional<std::size_t> offset_, factor_;
};

extern template class ScalarMix<float>;
extern template class ScalarMix<double>;

}  // namespace markeval::trained
