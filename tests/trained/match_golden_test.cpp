// One training step of `match` against the same step in PyTorch, with the same weights: tests/parity/
// match_step.py says how weights and batch are made.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "compute/device.hpp"
#include "trained/golden_numbers.hpp"
#include "trained/match_network.hpp"

namespace markeval::trained {
namespace {

template <typename T>
void expect_golden(const char* which, std::size_t hidden, double tolerance) {
  std::ifstream in(MARKEVAL_GOLDEN_MATCH);
  const nlohmann::json golden = nlohmann::json::parse(in).at(which);
  const MatchShape shape{3, 16, 2, 5, hidden};
  const GoldenRows rows;
  MatchBatch batch;
  batch.sequences = rows.sequences;
  batch.states = rows.rows;
  std::vector<double> gold;
  for (std::size_t pair = 0; pair < 6; ++pair) {
    batch.cosines.push_back(2 * golden_number(pair, 60));
    gold.push_back(golden_number(pair, 50));
  }
  ThreadPool pool(2);
  const auto device = compute::make_cpu_device(pool);
  MatchNetwork<T> network(shape);
  Parameters<T> parameters(network.layout()), gradient(network.layout());
  const auto specs = network.layout().specs();
  ASSERT_EQ(specs.size(), golden.at("gradient").size());
  set_golden(parameters);
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
