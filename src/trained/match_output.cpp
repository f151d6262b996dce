// The last part of the network of match_network.hpp: features -> score.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/elementary.hpp"
#include "trained/match_network.hpp"

namespace markeval::trained {
namespace {

/// The share of the normal distribution below x, by a series of positive terms:
/// 1/2 + density(x) * (x + x^3 / 3 + x^5 / (3 * 5) + ...).
double normal_share(double x, double density) {
  if (x > 8) return 1;
  if (x < -8) return 0;
  double term = x, sum = x;
  for (double odd = 3; std::abs(term) > 1e-17 * std::abs(sum); odd += 2) sum += term *= x * x / odd;
  return 0.5 + density * sum;
}

double normal_density(double x) {
  return elementary::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}

}  // namespace

template <typename T>
MatchOutput<T>::MatchOutput(ParameterLayout& layout, const MatchShape& shape)
    : hidden_(shape.hidden == 0 ? std::nullopt
                                : std::make_optional<Linear<T>>(layout, "hidden", shape.features(),
                                                                shape.hidden, Start::ramp, Start::ramp_foot)),
      output_(layout, "output", shape.hidden == 0 ? shape.features() : shape.hidden, 1, Start::equal) {}

template <typename T>
void MatchOutput<T>::forward(const compute::Products& products, const Parameters<T>& parameters,
                             MatrixView<const T> features, std::span<T> scores) {
  MatrixView<const T> last = features;
  if (hidden_) {  // GELU: x times the share of the normal distribution below x
    sums_.resize(features.rows(), hidden_->outputs());
    activated_.resize(features.rows(), hidden_->outputs());
    hidden_->forward(products, parameters, features, sums_.view());
    for (std::size_t i = 0; i < sums_.rows() * sums_.columns(); ++i) {
      const auto x = static_cast<double>(sums_.data()[i]);
      activated_.data()[i] = static_cast<T>(x * normal_share(x, normal_density(x)));
    }
    last = activated_.view();
  }
  scores_.resize(features.rows(), 1);
  output_.forward(products, parameters, last, scores_.view());
  std::copy_n(scores_.data(), scores.size(), scores.data());
}

template <typename T>
void MatchOutput<T>::backward(const compute::Products& products, const Parameters<T>& parameters,
                              MatrixView<const T> features, std::span<const T> d_scores,
                              MatrixView<T> d_features, Parameters<T>& gradient) {
  const MatrixView<const T> d_output(d_scores.data(), d_scores.size(), 1);
  if (!hidden_) return output_.backward(products, parameters, features, d_output, d_features, gradient);
  d_activated_.resize(activated_.rows(), activated_.columns());
  output_.backward(products, parameters, activated_.view(), d_output, d_activated_.view(), gradient);
  for (std::size_t i = 0; i < sums_.rows() * sums_.columns(); ++i) {
    const auto x = static_cast<double>(sums_.data()[i]);
    const double density = normal_density(x);
    d_activated_.data()[i] *= static_cast<T>(normal_share(x, density) + x * density);
  }
  hidden_->backward(products, parameters, features, d_activated_.view(), d_features, gradient);
}

template <typename T>
double MatchOutput<T>::score(const Parameters<T>& parameters, std::span<const double> features) const {
  const auto unit = [&](const Linear<T>& layer, std::size_t index, std::span<const double> inputs) {
    const std::span<const T> weight = layer.weight(parameters).row(index);
    auto sum = static_cast<double>(layer.bias(parameters)[index]);
    for (std::size_t i = 0; i < inputs.size(); ++i) sum += static_cast<double>(weight[i]) * inputs[i];
    return sum;
  };
  if (!hidden_) return unit(output_, 0, features);
  std::vector<double> activated;
  for (std::size_t index = 0; index < hidden_->outputs(); ++index) {
    const double x = unit(*hidden_, index, features);
    activated.push_back(x * normal_share(x, normal_density(x)));
  }
  return unit(output_, 0, activated);
}

template class MatchOutput<float>;
template class MatchOutput<double>;

}  // namespace markeval::trained
