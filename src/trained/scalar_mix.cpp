// Softmax over the layers, the weighted sum per word, and gradients summed in blocks of rows.
#include "trained/scalar_mix.hpp"

#include <algorithm>
#include <cmath>

#include "trained/functions.hpp"

namespace markeval::trained {
namespace {

constexpr std::size_t kMixBlock = 32;  // rows of one partial sum of the gradient

}  // namespace

// gamma is learned as the distance from 1, so that it starts at 0 like every bias.
template <typename T>
ScalarMix<T>::ScalarMix(ParameterLayout& layout, const std::string& name, std::size_t layers,
                        std::size_t width, bool standardised)
    : layers_(layers),
      width_(width),
      scalars_(layout.add(name + ".scalars", 1, layers, Start::zero)),
      gamma_(layout.add(name + ".gamma_minus_one", 1, 1, Start::zero)) {
  if (!standardised) return;
  offset_ = layout.add(name + ".offset", layers, width, Start::zero);
  factor_ = layout.add(name + ".factor", layers, width, Start::zero);
}

template <typename T>
void ScalarMix<T>::standardise(Parameters<T>& parameters, std::span<const double> means,
                               std::span<const double> deviations) const {
  const MatrixView<T> offset = parameters[offset_.value()], factor = parameters[factor_.value()];
  for (std::size_t layer = 0; layer < layers_; ++layer) {
    for (std::size_t j = 0; j < width_; ++j) {
      offset(layer, j) = static_cast<T>(means[layer * width_ + j]);
      factor(layer, j) = static_cast<T>(1 / deviations[layer * width_ + j]);
    }
  }
}

template <typename T>
typename ScalarMix<T>::Mixture ScalarMix<T>::mixture(const Parameters<T>& parameters) const {
  Mixture result{layer_shares<T>(parameters[scalars_].row(0)), std::vector<T>(layers_ * width_, T(0)),
                 std::vector<T>(layers_ * width_, T(1))};
  for (T& weight : result.weights) weight *= T(1) + parameters[gamma_](0, 0);
  if (offset_) {
    std::copy_n(parameters[*offset_].data(), result.offset.size(), result.offset.begin());
    std::copy_n(parameters[*factor_].data(), result.factor.size(), result.factor.begin());
  }
  return result;
}

template <typename T>
void ScalarMix<T>::mix(const Mixture& mixture, const Half* word, T* mixed) const {
  std::fill_n(mixed, width_, T(0));
  for (std::size_t layer = 0; layer < layers_; ++layer, word += width_) {
    const T* const offset = mixture.offset.data() + layer * width_;
    const T* const factor = mixture.factor.data() + layer * width_;
    const T weight = mixture.weights[layer];
    for (std::size_t j = 0; j < width_; ++j)
      mixed[j] += weight * ((static_cast<T>(from_half(word[j])) - offset[j]) * factor[j]);
  }
}

template <typename T>
void ScalarMix<T>::forward(ThreadPool& pool, const Parameters<T>& parameters,
                           std::span<const Half* const> words, MatrixView<T> mixed) const {
  const Mixture mixture = this->mixture(parameters);
  pool.for_each((words.size() + kMixBlock - 1) / kMixBlock, [&](std::size_t block, std::size_t) {
    for (std::size_t row = block * kMixBlock; row < std::min((block + 1) * kMixBlock, words.size()); ++row)
      mix(mixture, words[row], mixed.row(row).data());
  });
}

template <typename T>
void ScalarMix<T>::backward(ThreadPool& pool, const Parameters<T>& parameters,
                            std::span<const Half* const> words, MatrixView<const T> d_mixed,
                            Parameters<T>& gradient) const {
  const Mixture mixture = this->mixture(parameters);
  const std::size_t blocks = (words.size() + kMixBlock - 1) / kMixBlock;
  std::vector<double> partial(blocks * layers_, 0.0);  // by block, so that the order of adding is fixed
  pool.for_each(blocks, [&](std::size_t block, std::size_t) {
    constexpr std::size_t kLanes = 8;
    for (std::size_t row = block * kMixBlock; row < std::min((block + 1) * kMixBlock, words.size()); ++row) {
      const T* const d_row = d_mixed.row(row).data();
      for (std::size_t layer = 0; layer < layers_; ++layer) {
        const Half* const values = words[row] + layer * width_;
        const T* const offset = mixture.offset.data() + layer * width_;
        const T* const factor = mixture.factor.data() + layer * width_;
        const auto value = [&](std::size_t j) {
          return (static_cast<T>(from_half(values[j])) - offset[j]) * factor[j];
        };
        T lanes[kLanes] = {};
        std::size_t j = 0;
        for (; j + kLanes <= width_; j += kLanes) {
          for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += d_row[j + lane] * value(j + lane);
        }
        double dot = 0;
        for (; j < width_; ++j) dot += static_cast<double>(d_row[j]) * static_cast<double>(value(j));
        for (const T lane : lanes) dot += static_cast<double>(lane);
        partial[block * layers_ + layer] += dot;
      }
    }
  });
  std::vector<double> dots(layers_, 0.0);
  for (std::size_t i = 0; i < partial.size(); ++i) dots[i % layers_] += partial[i];
  const std::vector<T> share = layer_shares<T>(parameters[scalars_].row(0));
  double mean = 0;
  for (std::size_t layer = 0; layer < layers_; ++layer)
    mean += static_cast<double>(share[layer]) * dots[layer];
  const double gamma = 1 + static_cast<double>(parameters[gamma_](0, 0));
  for (std::size_t layer = 0; layer < layers_; ++layer) {
    gradient[scalars_](0, layer) +=
        static_cast<T>(gamma * static_cast<double>(share[layer]) * (dots[layer] - mean));
  }
  gradient[gamma_](0, 0) += static_cast<T>(mean);
}

template class ScalarMix<float>;
template class ScalarMix<double>;

}  // namespace markeval::trained
