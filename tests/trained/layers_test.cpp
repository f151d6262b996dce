#include <gtest/gtest.h>

#include <vector>

#include "base/float16.hpp"
#include "compute/device.hpp"
#include "trained/dense.hpp"
#include "trained/dropout.hpp"
#include "trained/gradient_check.hpp"
#include "trained/lstm.hpp"
#include "trained/scalar_mix.hpp"
#include "trained/text_layers.hpp"

namespace markeval::trained {
namespace {

using View = MatrixView<double>;
using ConstView = MatrixView<const double>;

struct LayerTest : ::testing::Test {
  ThreadPool pool{2};
  std::unique_ptr<compute::Device> device = compute::make_cpu_device(pool);
  const compute::Products& products = device->products();
  ParameterLayout layout;

  void randomize(Parameters<double>& parameters) {
    const std::vector<double> values = random_values(layout.size(), 7);
    for (std::size_t i = 0; i < values.size(); ++i) parameters.values()[i] = 0.7 * values[i];
  }
};

TEST_F(LayerTest, LinearGradient) {
  const Linear<double> linear(layout, "linear", 5, 3);
  Parameters<double> parameters(layout), gradient(layout);
  randomize(parameters);
  std::vector<double> input = random_values(4 * 5, 1), output(4 * 3), d_input(4 * 5);
  const std::vector<double> weight = random_values(4 * 3, 2);
  const auto loss = [&] {
    linear.forward(products, parameters, ConstView(input.data(), 4, 5), View(output.data(), 4, 3));
    return dot(output, weight);
  };
  loss();
  linear.backward(products, parameters, ConstView(input.data(), 4, 5), ConstView(weight.data(), 4, 3),
                  View(d_input.data(), 4, 5), gradient);
  expect_gradient(input, d_input, "input", loss);
  expect_gradient(parameters.values(), gradient.values(), "weights", loss);
}

TEST_F(LayerTest, RectifierGradient) {
  std::vector<double> input = random_values(12, 3), output(12);
  std::vector<double> gradient = random_values(12, 4);
  const std::vector<double> weight = gradient;
  const auto loss = [&] {
    output = input;
    rectify(View(output.data(), 3, 4));
    return dot(output, weight);
  };
  loss();
  rectify_backward<double>(ConstView(output.data(), 3, 4), View(gradient.data(), 3, 4));
  expect_gradient(input, gradient, "input", loss);
}

TEST_F(LayerTest, BiLstmGradient) {
  const std::vector<std::size_t> lengths{3, 1, 5, 2};
  const TextSpans sequences(lengths);
  BiLstm<double> lstm(layout, "lstm", 4, 3);
  Parameters<double> parameters(layout), gradient(layout);
  randomize(parameters);
  std::vector<double> input = random_values(11 * 4, 5), output(11 * 6), d_input(11 * 4);
  const std::vector<double> weight = random_values(11 * 6, 6);
  const auto loss = [&] {
    lstm.pack(products, parameters);
    lstm.forward(products, parameters, sequences, ConstView(input.data(), 11, 4), Pass::training,
                 View(output.data(), 11, 6));
    return dot(output, weight);
  };
  loss();
  lstm.backward(products, parameters, sequences,
                {ConstView(input.data(), 11, 4), ConstView(output.data(), 11, 6)},
                ConstView(weight.data(), 11, 6), View(d_input.data(), 11, 4), gradient);
  expect_gradient(input, d_input, "input", loss);
  expect_gradient(parameters.values(), gradient.values(), "weights", loss);
}

// More texts than walk in step together, and texts of one word.
TEST_F(LayerTest, BiLstmGradientOfManyTexts) {
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < 77; ++i) lengths.push_back(1 + i * 5 % 4);
  const TextSpans sequences(lengths);
  const std::size_t rows = sequences.rows();
  BiLstm<double> lstm(layout, "lstm", 2, 2);
  Parameters<double> parameters(layout), gradient(layout);
  randomize(parameters);
  std::vector<double> input = random_values(rows * 2, 8), output(rows * 4), d_input(rows * 2);
  const std::vector<double> weight = random_values(rows * 4, 9);
  const auto loss = [&] {
    lstm.pack(products, parameters);
    lstm.forward(products, parameters, sequences, ConstView(input.data(), rows, 2), Pass::training,
                 View(output.data(), rows, 4));
    return dot(output, weight);
  };
  loss();
  lstm.backward(products, parameters, sequences,
                {ConstView(input.data(), rows, 2), ConstView(output.data(), rows, 4)},
                ConstView(weight.data(), rows, 4), View(d_input.data(), rows, 2), gradient);
  expect_gradient(input, d_input, "input", loss);
  expect_gradient(parameters.values(), gradient.values(), "weights", loss);
}

TEST_F(LayerTest, AttentionGradient) {
  const std::vector<std::size_t> lengths{3, 1, 2, 4};  // pairs (3, 2) and (1, 4)
  const TextSpans sequences(lengths);
  PairAttention<double> attention;
  std::vector<double> input = random_values(10 * 3, 10), output(10 * 3), d_input(10 * 3, 0.0);
  const std::vector<double> weight = random_values(10 * 3, 11);
  const auto loss = [&] {
    attention.forward(products, sequences, ConstView(input.data(), 10, 3), View(output.data(), 10, 3));
    return dot(output, weight);
  };
  loss();
  attention.backward(products, sequences, ConstView(input.data(), 10, 3), ConstView(weight.data(), 10, 3),
                     View(d_input.data(), 10, 3));
  expect_gradient(input, d_input, "input", loss);
}

TEST_F(LayerTest, PoolingGradient) {
  const std::vector<std::size_t> lengths{3, 1, 4};
  const TextSpans sequences(lengths);
  MaxMeanPooling<double> pooling;
  std::vector<double> input = random_values(8 * 3, 12), output(3 * 6), d_input(8 * 3);
  const std::vector<double> weight = random_values(3 * 6, 13);
  const auto loss = [&] {
    pooling.forward(pool, sequences, ConstView(input.data(), 8, 3), Pass::training,
                    View(output.data(), 3, 6));
    return dot(output, weight);
  };
  loss();
  pooling.backward(pool, sequences, ConstView(weight.data(), 3, 6), View(d_input.data(), 8, 3));
  expect_gradient(input, d_input, "input", loss);
}

TEST_F(LayerTest, ComparisonGradient) {
  std::vector<double> u = random_values(6, 14), v = random_values(6, 15), output(24), d_u(6), d_v(6);
  const std::vector<double> weight = random_values(24, 16);
  const auto loss = [&] {
    compare_rows<double>(pool, ConstView(u.data(), 2, 3), ConstView(v.data(), 2, 3),
                         View(output.data(), 2, 12));
    return dot(output, weight);
  };
  loss();
  compare_rows_backward<double>(pool, ConstView(u.data(), 2, 3), ConstView(v.data(), 2, 3),
                                ConstView(weight.data(), 2, 12), View(d_u.data(), 2, 3),
                                View(d_v.data(), 2, 3));
  expect_gradient(u, d_u, "left", loss);
  expect_gradient(v, d_v, "right", loss);
}

TEST_F(LayerTest, ScalarMixGradient) {
  constexpr std::size_t kLayers = 3, kWidth = 11, kRows = 70;
  const ScalarMix<double> mix(layout, "mix", kLayers, kWidth);
  Parameters<double> parameters(layout), gradient(layout);
  randomize(parameters);
  std::vector<Half> vectors;
  for (const double value : random_values(kRows * kLayers * kWidth, 17))
    vectors.push_back(to_half(static_cast<float>(value)));
  std::vector<const Half*> words;
  for (std::size_t row = 0; row < kRows; ++row) words.push_back(vectors.data() + row * kLayers * kWidth);
  std::vector<double> output(kRows * kWidth);
  const std::vector<double> weight = random_values(kRows * kWidth, 18);
  const auto loss = [&] {
    mix.forward(pool, parameters, words, View(output.data(), kRows, kWidth));
    return dot(output, weight);
  };
  loss();
  mix.backward(pool, parameters, words, ConstView(weight.data(), kRows, kWidth), gradient);
  expect_gradient(parameters.values(), gradient.values(), "scalars", loss);
}

TEST_F(LayerTest, ScalarMixStandardises) {
  constexpr std::size_t kLayers = 3, kWidth = 11, kRows = 70;
  const ScalarMix<double> mix(layout, "mix", kLayers, kWidth, true);
  Parameters<double> parameters(layout), gradient(layout);
  randomize(parameters);
  // What is standardised by hand goes the same way through a mix that does not.
  ParameterLayout plain_layout;
  const ScalarMix<double> plain(plain_layout, "mix", kLayers, kWidth);
  Parameters<double> plain_parameters(plain_layout), plain_gradient(plain_layout);
  for (std::size_t i = 0; i < plain_layout.size(); ++i) plain_parameters.values()[i] = parameters.values()[i];
  std::vector<Half> vectors, by_hand;
  std::size_t place = 0;
  for (const double value : random_values(kRows * kLayers * kWidth, 17)) {
    const std::size_t number = place++ % (kLayers * kWidth);
    // Multiples of 1/64 around means of multiples of 1/64: float16 holds both sides whole.
    const double wanted = std::round(value * 64) / 64;
    by_hand.push_back(to_half(static_cast<float>(wanted)));
    vectors.push_back(to_half(static_cast<float>(wanted * 2 + 0.25 * static_cast<double>(number % 5))));
  }
  std::vector<double> offsets, twos(kLayers * kWidth, 2.0);
  for (std::size_t i = 0; i < kLayers * kWidth; ++i) offsets.push_back(0.25 * static_cast<double>(i % 5));
  mix.standardise(parameters, offsets, twos);
  std::vector<const Half*> words, plain_words;
  for (std::size_t row = 0; row < kRows; ++row) {
    words.push_back(vectors.data() + row * kLayers * kWidth);
    plain_words.push_back(by_hand.data() + row * kLayers * kWidth);
  }
  std::vector<double> output(kRows * kWidth), expected(kRows * kWidth);
  const std::vector<double> weight = random_values(kRows * kWidth, 18);
  mix.forward(pool, parameters, words, View(output.data(), kRows, kWidth));
  plain.forward(pool, plain_parameters, plain_words, View(expected.data(), kRows, kWidth));
  EXPECT_EQ(output, expected);
  mix.backward(pool, parameters, words, ConstView(weight.data(), kRows, kWidth), gradient);
  plain.backward(pool, plain_parameters, plain_words, ConstView(weight.data(), kRows, kWidth),
                 plain_gradient);
  for (std::size_t i = 0; i < layout.size(); ++i)
    EXPECT_EQ(gradient.values()[i], i < plain_layout.size() ? plain_gradient.values()[i] : 0) << i;
}

TEST_F(LayerTest, DropoutGradientIsItsOwnMask) {
  Dropout<double> dropout;
  dropout.draw({0.5, 12345, 3}, 0, 4, 5);
  std::vector<double> input = random_values(20, 19), output(20), gradient = random_values(20, 20);
  const std::vector<double> weight = gradient;
  const auto loss = [&] {
    output = input;
    dropout.apply(View(output.data(), 4, 5));
    return dot(output, weight);
  };
  dropout.apply(View(gradient.data(), 4, 5));
  expect_gradient(input, gradient, "input", loss);
}

TEST(Dropout, KeepsTheMeanAndDropsItsShare) {
  Dropout<float> dropout;
  dropout.draw({0.3, 1, 1}, 0, 100, 1000);
  Matrix<float> values(100, 1000);
  values.fill(1);
  dropout.apply(values.view());
  double sum = 0, dropped = 0;
  for (std::size_t i = 0; i < 100'000; ++i) {
    sum += static_cast<double>(values.data()[i]);
    dropped += values.data()[i] == 0.0f ? 1 : 0;
  }
  EXPECT_NEAR(dropped / 1e5, 0.3, 0.01);
  EXPECT_NEAR(sum / 1e5, 1, 0.02);
}

TEST(Dropout, AllWordsOfATextLoseTheSameColumns) {
  const std::vector<std::size_t> lengths{2, 3};
  const TextSpans sequences(lengths);
  Dropout<float> dropout;
  dropout.draw({0.5, 1, 1}, 0, 2, 64);
  Matrix<float> values(5, 64);
  values.fill(1);
  dropout.apply_to_texts(sequences, values.view());
  for (std::size_t j = 0; j < 64; ++j) {
    EXPECT_EQ(values.row(0)[j], values.row(1)[j]);
    EXPECT_EQ(values.row(2)[j], values.row(4)[j]);
  }
  EXPECT_FALSE(std::equal(values.row(0).begin(), values.row(0).end(), values.row(2).begin()));
}

TEST(Dropout, ATextAndItsReferenceMayLoseTheSameColumns) {
  const std::vector<std::size_t> lengths{1, 1, 2, 1};  // two pairs
  const TextSpans sequences(lengths);
  Dropout<float> dropout;
  dropout.draw({0.5, 1, 1}, 0, 2, 64);
  Matrix<float> values(5, 64);
  values.fill(1);
  dropout.apply_to_texts(sequences, values.view());
  for (std::size_t j = 0; j < 64; ++j) {
    EXPECT_EQ(values.row(0)[j], values.row(2)[j]);
    EXPECT_EQ(values.row(0)[j], values.row(3)[j]);
    EXPECT_EQ(values.row(1)[j], values.row(4)[j]);
  }
  EXPECT_FALSE(std::equal(values.row(0).begin(), values.row(0).end(), values.row(1).begin()));
}

TEST(Half, RoundsToTheNearestFloat16) {
  EXPECT_EQ(to_half(1.0f), 0x3c00);
  EXPECT_EQ(to_half(-2.0f), 0xc000);
  EXPECT_EQ(to_half(65504.0f), 0x7bff);
  EXPECT_EQ(to_half(1e9f), 0x7bff);               // beyond the largest
  EXPECT_EQ(to_half(1.0f + 0x1.0p-11f), 0x3c00);  // half way: to even
  EXPECT_EQ(to_half(1.0f + 3 * 0x1.0p-11f), 0x3c02);
  EXPECT_EQ(to_half(0x1.0p-24f), 0x0001);  // the smallest there is
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const auto half = static_cast<Half>(bits);
    EXPECT_EQ(to_half(from_half(half)), half);
    EXPECT_EQ(from_half(static_cast<Half>(half | 0x8000)), -from_half(half));
  }
}

TEST(StartParameters, HiddenWeightsAreOrthonormalAndForgetGatesOpen) {
  ParameterLayout layout;
  const BiLstm<float> lstm(layout, "lstm", 6, 4);
  Parameters<float> parameters(layout);
  start_parameters(1, parameters);
  const MatrixView<const float> hidden = parameters[1];
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < 4; ++b) {
      double product = 0;
      for (std::size_t row = 16; row < 32; ++row)
        product += static_cast<double>(hidden(row, a)) * hidden(row, b);
      EXPECT_NEAR(product, a == b ? 1 : 0, 1e-6);
    }
  }
  for (std::size_t j = 0; j < 16; ++j) EXPECT_EQ(parameters[2](1, j), j >= 4 && j < 8 ? 1.0f : 0.0f);
}

}  // namespace
}  // namespace markeval::trained
