// Power means over layers, and the routing algorithm of the paper's appendix.
#include "metric/layer_mix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "base/cancellation.hpp"
#include "base/elementary.hpp"
#include "base/error.hpp"
#include "base/plain_text.hpp"
#include "base/sum_of_squares.hpp"

namespace markeval::metric {
namespace {

/// The vectors of one token: layer after layer, `width` doubles each; of unit length where asked for. A zero
/// vector stays zero.
void layer_vectors(std::span<const MatrixView<const float>> layers, std::size_t token, bool unit,
                   std::vector<double>& out) {
  const std::size_t width = layers.front().columns();
  out.resize(layers.size() * width);
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const std::span<const float> values = layers[layer].row(token);
    const double squares = unit ? sum_of_squares(values) : 1;
    const double scale = squares == 0 ? 0 : 1 / std::sqrt(squares);
    for (std::size_t column = 0; column < width; ++column)
      out[layer * width + column] = values[column] * scale;
  }
}

/// value^exponent for a whole exponent, by squaring.
double whole_power(double value, double exponent) {
  double result = 1;
  for (double left = std::abs(exponent); left > 0; left = std::floor(left / 2), value *= value) {
    if (std::fmod(left, 2) == 1) result *= value;
  }
  return exponent < 0 ? 1 / result : result;
}

/// The layers' values of each column joined two by two. Whole layers at a time: the compiler makes vectors.
template <class Join>
void join_layers(std::span<const double> vectors, std::span<double> out, Join join) {
  std::copy_n(vectors.begin(), out.size(), out.begin());
  for (std::size_t begin = out.size(); begin < vectors.size(); begin += out.size()) {
    const double* layer = vectors.data() + begin;
    for (std::size_t column = 0; column < out.size(); ++column)
      out[column] = join(out[column], layer[column]);
  }
}

void add_power_mean(std::span<const double> vectors, std::vector<double>& joined, double exponent,
                    std::span<float> out) {
  const std::size_t width = out.size();
  const std::size_t layers = vectors.size() / width;
  joined.resize(width);
  if (exponent == INFINITY) {
    join_layers(vectors, joined, [](double a, double b) { return a < b ? b : a; });
  } else if (exponent == -INFINITY) {
    join_layers(vectors, joined, [](double a, double b) { return b < a ? b : a; });
  } else if (exponent == 1) {
    join_layers(vectors, joined, [](double a, double b) { return a + b; });
    for (double& value : joined) value /= static_cast<double>(layers);
  } else {
    std::vector<double> values(layers);
    for (std::size_t column = 0; column < width; ++column) {
      for (std::size_t layer = 0; layer < layers; ++layer) values[layer] = vectors[layer * width + column];
      joined[column] = power_mean(values, exponent);
    }
  }
  for (std::size_t column = 0; column < width; ++column) out[column] = static_cast<float>(joined[column]);
}

/// Algorithm 1 of the appendix for all tokens of one text. Token j has the vectors z(i, j) of its layers
/// i; gamma(i, j) weighs layer i. Kernels are functions of the squared distance, as in mean shift (Comaniciu
/// and Meer 2002).
class Routing {
 public:
  Routing(std::span<const MatrixView<const float>> layers, const LayerMix& mix)
      : options_(mix.routing),
        layers_(layers.size()),
        tokens_(layers.front().rows()),
        width_(layers.front().columns()) {
    z_.resize(tokens_);
    for (std::size_t token = 0; token < tokens_; ++token) layer_vectors(layers, token, mix.unit, z_[token]);
    gamma_.assign(tokens_ * layers_, 0);
    // The algorithm needs a v to measure from before it has one: the mean of the layers.
    vectors_.assign(tokens_ * width_, 0);
    for (std::size_t token = 0; token < tokens_; ++token) {
      for (std::size_t layer = 0; layer < layers_; ++layer) {
        for (std::size_t column = 0; column < width_; ++column) {
          vectors_[token * width_ + column] +=
              z_[token][layer * width_ + column] / static_cast<double>(layers_);
        }
      }
    }
  }

  void run(MatrixView<float> out) {
    double previous = INFINITY;
    for (std::size_t iteration = 0; iteration < options_.iterations; ++iteration) {
      double sum = 0;
      for (std::size_t token = 0; token < tokens_; ++token) sum += step(token);
      const double loss = elementary::log(sum);
      if (sum == 0 || std::abs(loss - previous) < options_.tolerance) break;
      previous = loss;
    }
    for (std::size_t token = 0; token < tokens_; ++token) {
      for (std::size_t column = 0; column < width_; ++column) {
        out(token, column) = static_cast<float>(vectors_[token * width_ + column]);
      }
    }
  }

 private:
  double squared_distance(std::size_t token, std::size_t layer) const {
    double sum = 0;
    for (std::size_t column = 0; column < width_; ++column) {
      const double difference = vectors_[token * width_ + column] - z_[token][layer * width_ + column];
      sum += difference * difference;
    }
    return sum;
  }
  double kernel(double x) const {
    if (options_.kernel == Kernel::gaussian) return elementary::exp(-x / 2);
    return x < 1 ? 1 - x : 0;
  }
  /// Without its sign, which the quotient of line 6 drops.
  double kernel_slope(double x) const {
    if (options_.kernel == Kernel::gaussian) return elementary::exp(-x / 2) / 2;
    return x < 1 ? 1 : 0;
  }

  /// Lines 4 to 7 for one token; its part of the sum in line 8.
  double step(std::size_t token) {
    const std::span<double> gamma{gamma_.data() + token * layers_, layers_};
    const double largest = *std::ranges::max_element(gamma);
    double total = 0;
    for (double& value : gamma) total += value = elementary::exp(value - largest);
    for (double& value : gamma) value /= total;
    std::vector<double> sum(width_, 0);
    double slopes = 0;
    for (std::size_t layer = 0; layer < layers_; ++layer) {
      const double slope = kernel_slope(squared_distance(token, layer));
      slopes += slope;
      for (std::size_t column = 0; column < width_; ++column) {
        sum[column] += gamma[layer] * slope * z_[token][layer * width_ + column];
      }
    }
    // Every layer outside the kernel: nothing pulls, and the vector stays.
    if (slopes > 0) {
      for (std::size_t column = 0; column < width_; ++column)
        vectors_[token * width_ + column] = sum[column] / slopes;
    }
    double part = 0;
    for (std::size_t layer = 0; layer < layers_; ++layer) {
      const double closeness = kernel(squared_distance(token, layer));
      gamma[layer] += options_.step * closeness;
      part += gamma[layer] * closeness;
    }
    return part;
  }

  RoutingOptions options_;
  std::size_t layers_, tokens_, width_;
  std::vector<std::vector<double>> z_;
  std::vector<double> gamma_;
  std::vector<double> vectors_;
};

}  // namespace

std::size_t LayerMix::columns(std::size_t width) const {
  return aggregation == Aggregation::pmeans ? width * exponents.size() : width;
}

std::vector<double> parse_exponents(std::string_view text) {
  constexpr std::size_t kMost = 16;
  std::vector<double> exponents;
  for (const std::string_view part : parts_of(text, '+')) {
    const bool infinite = part == "inf" || part == "-inf";
    const auto value = read_number<double>(part);
    if (!value || (!infinite && !std::isfinite(*value))) {
      throw_usage(fmt::format(
          "exponents '{}': '{}' is no number, inf or -inf; expected a list such as -inf+1+inf", text, part));
    }
    if (std::ranges::find(exponents, *value) != exponents.end())
      throw_usage(fmt::format("exponents '{}': {} comes twice, expected each once", text, part));
    if (exponents.size() == kMost)
      throw_usage(fmt::format("exponents: more than {} numbers, expected at most as many", kMost));
    exponents.push_back(*value);
  }
  return exponents;
}

std::string exponents_text(std::span<const double> exponents) {
  std::string text;
  for (const double exponent : exponents) {
    if (!text.empty()) text += '+';
    text += fmt::format("{}", exponent);
  }
  return text;
}

double power_mean(std::span<const double> values, double exponent) {
  assert(!values.empty());
  if (exponent == INFINITY) return *std::ranges::max_element(values);
  if (exponent == -INFINITY) return *std::ranges::min_element(values);
  const auto count = static_cast<double>(values.size());
  const bool has_zero = std::ranges::find(values, 0.0) != values.end();
  if (exponent <= 0 && has_zero) return 0;
  if (exponent == 0) {
    double logs = 0, negative = 0;
    for (const double value : values) {
      logs += elementary::log(std::abs(value));
      negative += value < 0 ? 1 : 0;
    }
    return elementary::exp(logs / count) * elementary::cos(std::numbers::pi * negative / count);
  }
  if (std::floor(exponent) == exponent) {
    double sum = 0;
    for (const double value : values) sum += whole_power(value, exponent);
    sum /= count;
    if (sum == 0) return 0;
    const double root = elementary::pow(std::abs(sum), 1 / exponent);
    return sum < 0 && std::fmod(std::abs(exponent), 2) == 1 ? -root : root;
  }
  // The principal power of a negative number is complex, and so is the sum: (real, imaginary).
  const double turn = std::numbers::pi * std::fmod(exponent, 2);
  double real = 0, imaginary = 0;
  for (const double value : values) {
    const double power = elementary::pow(std::abs(value), exponent);
    real += value < 0 ? power * elementary::cos(turn) : power;
    imaginary += value < 0 ? power * elementary::sin(turn) : 0;
  }
  real /= count;
  imaginary /= count;
  const double length = std::sqrt(real * real + imaginary * imaginary);
  if (length == 0) return 0;
  return elementary::pow(length, 1 / exponent) *
         elementary::cos(elementary::atan2(imaginary, real) / exponent);
}

void mix_layers(std::span<const MatrixView<const float>> layers, const LayerMix& mix,
                std::span<const std::uint32_t> tokens, MatrixView<float> out) {
  assert(!layers.empty() && out.rows() == layers.front().rows());
  assert(out.columns() == mix.columns(layers.front().columns()));
  if (mix.aggregation == Aggregation::routing) {
    Routing(layers, mix).run(out);
    return;
  }
  if (mix.aggregation == Aggregation::last) layers = layers.last(1);
  static constexpr double kMean[] = {1};
  std::span<const double> exponents = kMean;
  if (mix.aggregation == Aggregation::pmeans) exponents = mix.exponents;
  const std::size_t width = layers.front().columns();
  std::vector<double> vectors, joined;
  for (const std::uint32_t token : tokens) {
    check_cancelled();
    layer_vectors(layers, token, mix.unit, vectors);
    for (std::size_t index = 0; index < exponents.size(); ++index) {
      add_power_mean(vectors, joined, exponents[index], out.row(token).subspan(index * width, width));
    }
  }
}

}  // namespace markeval::metric
