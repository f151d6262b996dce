#include "compute/products.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/float16.hpp"
#include "base/random.hpp"
#include "contract/devices.hpp"

namespace markeval::compute {
namespace {

std::vector<float> random_floats(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed, 0);
  std::vector<float> values(count);
  for (float& value : values)
    value = static_cast<float>(random.below(17)) - 8.0f;  // integers: sums are exact
  return values;
}

/// Every combination of transposed sides, on every device, against plain sums.
TEST(Products, EqualPlainSumsForEverySideAndSize) {
  struct Size {
    std::size_t rows, length, columns;
  };
  for (const TestedDevice& tested : tested_devices()) {
    ThreadPool pool(2);
    const auto device = tested.make(pool);
    const Products& products = device->products();
    for (const Size size : {Size{1, 1, 1}, Size{7, 5, 13}, Size{64, 30, 48}, Size{130, 33, 101}}) {
      const std::vector<float> left = random_floats(size.rows * size.length, 1);
      const std::vector<float> right = random_floats(size.length * size.columns, 2);
      for (int variant = 0; variant < 8; ++variant) {
        const bool left_turned = (variant & 1) != 0, right_turned = (variant & 2) != 0,
                   add = (variant & 4) != 0;
        const MatrixView<const float> a = left_turned
                                              ? MatrixView<const float>(left.data(), size.length, size.rows)
                                              : MatrixView<const float>(left.data(), size.rows, size.length);
        const MatrixView<const float> b =
            right_turned ? MatrixView<const float>(right.data(), size.columns, size.length)
                         : MatrixView<const float>(right.data(), size.length, size.columns);
        std::vector<float> out(size.rows * size.columns, 3.0f);
        products.multiply(Operand<float>{a, left_turned}, Operand<float>{b, right_turned},
                          MatrixView<float>(out.data(), size.rows, size.columns), add);
        for (std::size_t row = 0; row < size.rows; ++row) {
          for (std::size_t column = 0; column < size.columns; ++column) {
            float sum = add ? 3.0f : 0.0f;
            for (std::size_t step = 0; step < size.length; ++step) {
              sum += (left_turned ? a(step, row) : a(row, step)) *
                     (right_turned ? b(column, step) : b(step, column));
            }
            ASSERT_EQ(out[row * size.columns + column], sum) << tested.name << " variant " << variant;
          }
        }
      }
    }
  }
}

/// Against the formulas in double.
TEST(Products, TakeTheStepOfAnLstm) {
  constexpr std::size_t kHidden = 37;
  RandomStream random(3, 0);
  std::vector<float> input(4 * kHidden), recurrent(4 * kHidden), bias(4 * kHidden), before(kHidden);
  for (std::vector<float>* values : {&input, &recurrent, &bias, &before}) {
    for (float& value : *values) value = static_cast<float>(random.normal());
  }
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  for (const TestedDevice& tested : tested_devices()) {
    ThreadPool pool(1);
    const auto device = tested.make(pool);
    for (const bool first : {true, false}) {
      for (const bool keeps : {true, false}) {
        std::vector<float> gates = input, memory = before, squashed(kHidden), state(kHidden);
        device->products().lstm_step({.hidden = kHidden,
                                      .gates = gates.data(),
                                      .recurrent = first ? nullptr : recurrent.data(),
                                      .bias = bias.data(),
                                      .memory_before = first ? nullptr : memory.data(),
                                      .memory = memory.data(),
                                      .squashed = keeps ? squashed.data() : nullptr,
                                      .state = state.data(),
                                      .ahead = gates.data()});
        for (std::size_t j = 0; j < kHidden; ++j) {
          double gate[4];
          for (std::size_t i = 0; i < 4; ++i) {
            const std::size_t at = i * kHidden + j;
            const double sum = input[at] + (first ? 0.0 : recurrent[at]) + bias[at];
            gate[i] = i == 2 ? std::tanh(sum) : sigmoid(sum);
            EXPECT_NEAR(gates[at], keeps ? gate[i] : input[at], 1e-6) << tested.name;
          }
          const double c = gate[0] * gate[2] + (first ? 0.0 : gate[1] * before[j]);
          EXPECT_NEAR(memory[j], c, 2e-6) << tested.name;
          EXPECT_NEAR(state[j], gate[3] * std::tanh(c), 2e-6) << tested.name;
          if (keeps) {
            EXPECT_NEAR(squashed[j], std::tanh(c), 2e-6) << tested.name;
          }
        }
      }
    }
  }
}

/// Layers are rounded as to_half() rounds them: normal and subnormal numbers, ties, too large ones.
TEST(Products, MixLayersOfFloat16) {
  std::vector<float> states{0.0f,     -0.0f, 1.0f + 0x1.0p-11f, 1.0f + 3 * 0x1.0p-11f,
                            65504.0f, -1e9f, 0x1.8p-25f,        -0x1.0p-14f};
  RandomStream random(4, 0);
  for (const double scale : {1.0, 1e-4, 1e-6, 100.0}) {
    for (int i = 0; i < 200; ++i) states.push_back(static_cast<float>(scale * random.normal()));
  }
  const std::size_t width = states.size();
  const std::vector<float> offset(2 * width, 0.25f), factor(2 * width, 3.0f);
  const std::vector<float> second(states.rbegin(), states.rend());
  const float* const layers[] = {states.data(), second.data()};
  const float weights[] = {0.7f, -0.2f};
  for (const TestedDevice& tested : tested_devices()) {
    ThreadPool pool(1);
    std::vector<float> mixed(width);
    tested.make(pool)->products().mix_layers(
        {2, width, layers, weights, offset.data(), factor.data(), mixed.data()});
    for (std::size_t j = 0; j < width; ++j) {
      float sum = 0;
      for (std::size_t layer = 0; layer < 2; ++layer)
        sum += weights[layer] * ((from_half(to_half(layers[layer][j])) - 0.25f) * 3.0f);
      EXPECT_EQ(mixed[j], sum) << tested.name << " " << states[j];
    }
  }
}

/// One rounding for every term, in the precision of the type.
template <typename T>
void expect_roundings_of_the_terms(double TestedDevice::*rounding) {
  constexpr std::size_t kRows = 33, kLength = 301, kColumns = 29;
  RandomStream random(7, 0);
  std::vector<T> left(kRows * kLength), right(kLength * kColumns);
  for (std::vector<T>* values : {&left, &right}) {
    for (T& value : *values) value = static_cast<T>(random.normal());
  }
  const MatrixView<const T> a(left.data(), kRows, kLength), b(right.data(), kLength, kColumns);
  for (const TestedDevice& tested : tested_devices()) {
    ThreadPool pool(2);
    std::vector<T> out(kRows * kColumns);
    tested.make(pool)->products().multiply(as_is(a), as_is(b), MatrixView<T>(out.data(), kRows, kColumns));
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::size_t column = 0; column < kColumns; ++column) {
        long double sum = 0, magnitude = 0;
        for (std::size_t step = 0; step < kLength; ++step) {
          const long double term = static_cast<long double>(a(row, step)) * b(step, column);
          sum += term;
          magnitude += std::fabs(term);
        }
        ASSERT_NEAR(static_cast<double>(out[row * kColumns + column]), static_cast<double>(sum),
                    tested.*rounding * (kLength + 1) * static_cast<double>(magnitude))
            << tested.name;
      }
    }
  }
}

TEST(Products, AreOffByTheRoundingsOfTheirTerms) {
  expect_roundings_of_the_terms<float>(&TestedDevice::float_rounding);
  expect_roundings_of_the_terms<double>(&TestedDevice::double_rounding);
}

}  // namespace
}  // namespace markeval::compute
