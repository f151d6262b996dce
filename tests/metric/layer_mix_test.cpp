// Power means and routing against plain implementations written from the paper (Zhao et al. 2019).
#include "metric/layer_mix.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "support/temp_folder.hpp"

namespace markeval::metric {
namespace {

constexpr double kInfinityInDouble = std::numeric_limits<double>::infinity();
using Vector = std::vector<double>;

struct Text {
  std::size_t tokens, width;
  std::vector<std::vector<float>> layers;
  std::vector<MatrixView<const float>> views() const {
    std::vector<MatrixView<const float>> views;
    for (const auto& layer : layers) views.emplace_back(layer.data(), tokens, width);
    return views;
  }
  /// z(i, j): the unit vector of token j in layer i.
  Vector unit(std::size_t layer, std::size_t token) const {
    Vector vector(layers[layer].begin() + static_cast<std::ptrdiff_t>(token * width),
                  layers[layer].begin() + static_cast<std::ptrdiff_t>((token + 1) * width));
    double squares = 0;
    for (const double value : vector) squares += value * value;
    for (double& value : vector) value /= std::sqrt(squares);
    return vector;
  }
};

/// Layers that agree roughly, as a model's do.
Text random_text(std::uint64_t seed, std::size_t layers, std::size_t tokens, std::size_t width) {
  RandomStream random(seed, 0);
  Text text{tokens, width, {}};
  std::vector<double> base(tokens * width);
  for (double& value : base) value = random.normal();
  for (std::size_t layer = 0; layer < layers; ++layer) {
    std::vector<float> values;
    for (const double value : base) values.push_back(static_cast<float>(3 * (value + 0.5 * random.normal())));
    text.layers.push_back(values);
  }
  return text;
}

std::vector<float> mixed(const Text& text, const LayerMix& mix) {
  std::vector<float> out(text.tokens * mix.columns(text.width));
  std::vector<std::uint32_t> all(text.tokens);
  std::iota(all.begin(), all.end(), 0u);
  mix_layers(text.views(), mix, all, {out.data(), text.tokens, mix.columns(text.width)});
  return out;
}

TEST(LayerMix, GivesTheTokensAskedForWhatTheyGetAmongAll) {
  const Text text = random_text(3, 5, 4, 6);
  for (const Aggregation aggregation : {Aggregation::pmeans, Aggregation::routing, Aggregation::last}) {
    LayerMix mix;
    mix.aggregation = aggregation;
    const std::vector<float> all = mixed(text, mix);
    const std::size_t columns = mix.columns(text.width);
    std::vector<float> some(all.size(), 7);
    const std::vector<std::uint32_t> tokens{1, 3};
    mix_layers(text.views(), mix, tokens, {some.data(), text.tokens, columns});
    for (const std::size_t token : tokens) {
      for (std::size_t column = 0; column < columns; ++column)
        EXPECT_EQ(some[token * columns + column], all[token * columns + column]);
    }
  }
}

TEST(LayerMix, PublishedIsMinMeanMaxOfUnitVectors) {
  const Text text = random_text(1, 5, 4, 6);
  const std::vector<float> out = mixed(text, LayerMix{});
  ASSERT_EQ(out.size(), 4u * 18);
  for (std::size_t token = 0; token < 4; ++token) {
    for (std::size_t column = 0; column < 6; ++column) {
      double least = kInfinityInDouble;
      double most = -kInfinityInDouble;
      double sum = 0;
      for (std::size_t layer = 0; layer < 5; ++layer) {
        const double value = text.unit(layer, token)[column];
        least = std::min(least, value);
        most = std::max(most, value);
        sum += value;
      }
      EXPECT_NEAR(out[token * 18 + column], least, 1e-7);
      EXPECT_NEAR(out[token * 18 + 6 + column], sum / 5, 1e-7);
      EXPECT_NEAR(out[token * 18 + 12 + column], most, 1e-7);
    }
  }
}

TEST(LayerMix, MeanAndLastAreWhatTheySay) {
  const Text text = random_text(2, 3, 2, 4);
  LayerMix mix;
  mix.aggregation = Aggregation::last;
  const std::vector<float> last = mixed(text, mix);
  mix.aggregation = Aggregation::mean;
  const std::vector<float> mean = mixed(text, mix);
  for (std::size_t index = 0; index < 8; ++index) {
    const std::size_t token = index / 4;
    EXPECT_NEAR(last[index], text.unit(2, token)[index % 4], 1e-7);
    EXPECT_NEAR(
        mean[index],
        (text.unit(0, token)[index % 4] + text.unit(1, token)[index % 4] + text.unit(2, token)[index % 4]) /
            3,
        1e-7);
  }
}

TEST(PowerMean, GivesTheNamedMeansOfPositiveNumbers) {
  const double values[] = {1, 2, 4};
  EXPECT_DOUBLE_EQ(power_mean(values, 1), 7.0 / 3);
  EXPECT_DOUBLE_EQ(power_mean(values, 2), std::sqrt(7));
  EXPECT_DOUBLE_EQ(power_mean(values, -1), 3 / (1 + 0.5 + 0.25));
  EXPECT_NEAR(power_mean(values, 0), 2, 1e-15);
  EXPECT_NEAR(power_mean(values, 0.5), std::pow((1 + std::sqrt(2) + 2) / 3, 2), 1e-14);
  EXPECT_EQ(power_mean(values, kInfinityInDouble), 4);
  EXPECT_EQ(power_mean(values, -kInfinityInDouble), 1);
}

TEST(PowerMean, OfNegativeNumbersFollowsTheStatedRule) {
  const double negative[] = {-8, -8};
  EXPECT_DOUBLE_EQ(power_mean(negative, 3), -8) << "odd: real odd root";
  EXPECT_DOUBLE_EQ(power_mean(negative, 2), 8) << "even: the sign is gone";
  EXPECT_DOUBLE_EQ(power_mean(negative, -1), -8);
  EXPECT_NEAR(power_mean(negative, 0.5), -8, 1e-12) << "((8 i^2)^0.5)^2";
  EXPECT_NEAR(power_mean(negative, 1.5), 4, 1e-12)
      << "(-8)^1.5 = -22.6 i, whose power 2/3 is 8 e^(-i pi / 3)";
  const double zero[] = {0, 5};
  EXPECT_EQ(power_mean(zero, -1), 0);
  EXPECT_EQ(power_mean(zero, 0), 0);
  const double opposite[] = {-2, 2};
  EXPECT_EQ(power_mean(opposite, 3), 0);
}

TEST(Exponents, AreReadAndWritten) {
  EXPECT_THAT(parse_exponents("-inf+1+inf"),
              ::testing::ElementsAre(-kInfinityInDouble, 1, kInfinityInDouble));
  EXPECT_THAT(parse_exponents("0.5+-3"), ::testing::ElementsAre(0.5, -3));
  EXPECT_EQ(exponents_text(parse_exponents("-inf+1+2.5+inf")), "-inf+1+2.5+inf");
  EXPECT_ERROR(parse_exponents("1+two"), ErrorCode::usage,
               "exponents '1+two': 'two' is no number, inf or -inf; expected a list such as -inf+1+inf");
  EXPECT_ERROR(parse_exponents(""), ErrorCode::usage, "'' is no number");
}

TEST(Exponents, AreAtMostSixteenEachOnce) {
  std::string many = "1";
  for (int exponent = 2; exponent <= 16; ++exponent) many += "+" + std::to_string(exponent);
  EXPECT_EQ(parse_exponents(many).size(), 16u);
  EXPECT_ERROR(parse_exponents(many + "+17"), ErrorCode::usage, "exponents: more than 16 numbers");
  EXPECT_ERROR(parse_exponents("1+2+1.0"), ErrorCode::usage,
               "exponents '1+2+1.0': 1.0 comes twice, expected each once");
}

/// Appendix A.2, Algorithm 1, line by line. z[i][j]: layer i, token j.
std::vector<Vector> routing_of_the_paper(const Text& text, const RoutingOptions& options) {
  const std::size_t layers = text.layers.size();
  const auto squared = [](const Vector& a, const Vector& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
  };
  const bool gaussian = options.kernel == Kernel::gaussian;
  const auto k = [&](double x) { return gaussian ? std::exp(-x / 2) : x < 1 ? 1 - x : 0.0; };
  const auto k_slope = [&](double x) { return gaussian ? -0.5 * std::exp(-x / 2) : x < 1 ? -1.0 : 0.0; };
  std::vector<Vector> v(text.tokens, Vector(text.width));
  std::vector<Vector> gamma(layers, Vector(text.tokens, 0.0));  // line 2
  for (std::size_t j = 0; j < text.tokens; ++j) {
    for (std::size_t c = 0; c < text.width; ++c) {
      for (std::size_t i = 0; i < layers; ++i) v[j][c] += text.unit(i, j)[c] / static_cast<double>(layers);
    }
  }
  double previous = kInfinityInDouble;
  for (std::size_t round = 0; round < options.iterations; ++round) {
    for (std::size_t j = 0; j < text.tokens; ++j) {  // line 4
      double total = 0;
      for (std::size_t i = 0; i < layers; ++i) total += std::exp(gamma[i][j]);
      for (std::size_t i = 0; i < layers; ++i) gamma[i][j] = std::exp(gamma[i][j]) / total;
    }
    for (std::size_t j = 0; j < text.tokens; ++j) {  // lines 5 and 6
      Vector above(text.width);
      double below = 0;
      for (std::size_t i = 0; i < layers; ++i) {
        const Vector z = text.unit(i, j);
        const double slope = k_slope(squared(v[j], z));
        for (std::size_t c = 0; c < text.width; ++c) above[c] += gamma[i][j] * slope * z[c];
        below += slope;
      }
      if (below == 0) continue;
      for (std::size_t c = 0; c < text.width; ++c) v[j][c] = above[c] / below;
    }
    double sum = 0;
    for (std::size_t j = 0; j < text.tokens; ++j) {
      for (std::size_t i = 0; i < layers; ++i) {
        const double closeness = k(squared(v[j], text.unit(i, j)));
        gamma[i][j] += options.step * closeness;  // line 7
        sum += gamma[i][j] * closeness;           // line 8
      }
    }
    if (sum == 0 || std::abs(std::log(sum) - previous) < options.tolerance) break;  // line 9
    previous = std::log(sum);
  }
  return v;
}

TEST(Routing, FollowsAlgorithmOneWithBothKernels) {
  for (const Kernel kernel : {Kernel::gaussian, Kernel::epanechnikov}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const Text text = random_text(seed, 5, 3, 8);
      LayerMix mix;
      mix.aggregation = Aggregation::routing;
      mix.routing.kernel = kernel;
      mix.routing.step = 0.5 + 0.5 * static_cast<double>(seed);
      const std::vector<float> out = mixed(text, mix);
      const std::vector<Vector> expected = routing_of_the_paper(text, mix.routing);
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t c = 0; c < 8; ++c) EXPECT_NEAR(out[j * 8 + c], expected[j][c], 1e-7);
      }
    }
  }
}

TEST(Routing, OfEqualLayersPointsWhereTheyPoint) {
  Text text = random_text(9, 1, 2, 5);
  text.layers = {text.layers[0], text.layers[0], text.layers[0]};
  for (const Kernel kernel : {Kernel::gaussian, Kernel::epanechnikov}) {
    LayerMix mix;
    mix.aggregation = Aggregation::routing;
    mix.routing.kernel = kernel;
    const std::vector<float> out = mixed(text, mix);
    for (std::size_t token = 0; token < 2; ++token) {
      double squares = 0;
      double product = 0;
      for (std::size_t c = 0; c < 5; ++c) {
        squares += out[token * 5 + c] * out[token * 5 + c];
        product += out[token * 5 + c] * text.unit(0, token)[c];
      }
      EXPECT_NEAR(product / std::sqrt(squares), 1, 1e-6);
    }
  }
}

}  // namespace
}  // namespace markeval::metric
