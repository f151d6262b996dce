// One training step of `match` against the same step in PyTorch, with the same weights: tests/parity/
// match_step.py says how weights and batch are made.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "compute/device.hpp"
#include "trained/match_network.hpp"

namespace markeval::trained {
namespace {

double number(std::size_t index, std::size_t salt) {
  return static_cast<double>((index * 7919 + salt * 104729) % 2003) / 2003 - 0.5;
}

template <typename T>
void expect_golden(const char* which, std::size_t hidden, double tolerance) {
  std::ifstream in(MARKEVAL_GOLDEN_MATCH);
  const nlohmann::json golden = nlohmann::json::parse(in).at(which);
  const MatchShape shape{3, 16, 2, 5, hidden};
  const std::vector<std::size_t> lengths{3, 1, 9, 4, 6, 2, 5, 2, 7, 4, 1, 8};
  MatchBatch batch;
  batch.sequences = TextSpans(lengths);
  std::vector<Half> states;
  for (std::size_t i = 0; i < batch.sequences.rows() * 3 * 16; ++i)
    states.push_back(to_half(static_cast<float>(2 * number(i, 99))));
  for (std::size_t row = 0; row < batch.sequences.rows(); ++row)
    batch.states.push_back(states.data() + row * 3 * 16);
  std::vector<double> gold;
  for (std::size_t pair = 0; pair < 6; ++pair) {
    batch.cosines.push_back(2 * number(pair, 60));
    gold.push_back(number(pair, 50));
  }
  ThreadPool pool(2);
  const auto device = compute::make_cpu_device(pool);
  MatchNetwork<T> network(shape);
  Parameters<T> parameters(network.layout()), gradient(network.layout());
  const auto specs = network.layout().specs();
  ASSERT_EQ(specs.size(), golden.at("gradient").size());
  for (std::size_t index = 0; index < specs.size(); ++index) {
    for (std::size_t i = 0; i < specs[index].size(); ++i)
      parameters[index].data()[i] = static_cast<T>(static_cast<float>(number(i, index)));
  }
  std::vector<T> scores(6), d_scores(6);
  network.forward(device->products(), parameters, batch, {}, scores);
  const double loss = pearson_loss<T>(scores, gold, d_scores);
  network.backward(device->products(), parameters, batch, d_scores, gradient);
  EXPECT_NEAR(loss, golden.at("loss").get<double>(), tolerance);
  for (std::size_t pair = 0; pair < 6; ++pair)
    EXPECT_NEAR(static_cast<double>(scores[pair]), golden.at("scores").at(pair).get<double>(), tolerance);
  for (std::size_t index = 0; index < specs.size(); ++index) {
    const auto expected = golden.at("gradient").at(specs[index].name).template get<std::vector<double>>();
    ASSERT_EQ(expected.size(), specs[index].size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(gradient[index].data()[i]), expected[i], tolerance)
          << specs[index].name << ", element " << i;
    }
  }
}

TEST(GoldenMatch, FloatIsWithin1e5OfPyTorch) {
  expect_golden<float>("linear", 0, 1e-5);
  expect_golden<float>("hidden", 7, 1e-5);
}
TEST(GoldenMatch, DoubleIsWithin1e12OfPyTorch) {
  expect_golden<double>("linear", 0, 1e-12);
  expect_golden<double>("hidden", 7, 1e-12);
}

}  // namespace
}  // namespace markeval::trained
