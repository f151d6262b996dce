// The three networks against the same networks in PyTorch, with the same weights: tests/golden/
// make_trained_networks.py says how weights and batch are made.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "compute/device.hpp"
#include "trained/golden_numbers.hpp"
#include "trained/network.hpp"

namespace markeval::trained {
namespace {

template <typename T>
void expect_golden(Architecture architecture, double score_tolerance, double gradient_tolerance) {
  std::ifstream in(MARKEVAL_GOLDEN_NETWORKS);
  const nlohmann::json golden = nlohmann::json::parse(in).at(std::string(name(architecture)));
  const NetworkShape shape{architecture, 3, 16, 12, 10};
  const GoldenRows rows;
  PairBatch batch;
  batch.sequences = rows.sequences;
  batch.words = rows.rows;

  ThreadPool pool(2);
  const auto device = compute::make_cpu_device(pool);
  const compute::Products& products = device->products();
  Network<T> network(shape);
  Parameters<T> parameters(network.layout()), gradient(network.layout());
  const auto specs = network.layout().specs();
  ASSERT_EQ(specs.size(), golden.at("gradient").size());
  set_golden(parameters);
  std::vector<T> scores(6), d_scores;
  for (std::size_t pair = 0; pair < 6; ++pair) d_scores.push_back(static_cast<T>(golden_number(pair, 50)));
  network.forward(products, parameters, batch, {}, scores);
  network.backward(products, parameters, batch, d_scores, gradient);
  for (std::size_t pair = 0; pair < 6; ++pair)
    EXPECT_NEAR(static_cast<double>(scores[pair]), golden.at("scores").at(pair).get<double>(),
                score_tolerance);
  for (std::size_t index = 0; index < specs.size(); ++index) {
    double sum = 0, size = 0;
    for (std::size_t i = 0; i < specs[index].size(); ++i) {
      sum += static_cast<double>(gradient[index].data()[i]) * golden_number(i, 51);
      size += std::abs(static_cast<double>(gradient[index].data()[i]) * golden_number(i, 51));
    }
    EXPECT_NEAR(sum, golden.at("gradient").at(specs[index].name).template get<double>(),
                gradient_tolerance * (1 + size))
        << specs[index].name;
  }
}

struct GoldenNetwork : ::testing::TestWithParam<Architecture> {};

TEST_P(GoldenNetwork, FloatIsWithin1e5OfPyTorch) {
  expect_golden<float>(GetParam(), 1e-5, 1e-5);
}
TEST_P(GoldenNetwork, DoubleIsWithin1e12OfPyTorch) {
  expect_golden<double>(GetParam(), 1e-12, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenNetwork,
                         ::testing::Values(Architecture::bilstm, Architecture::bilstm_attention,
                                           Architecture::esim));

}  // namespace
}  // namespace markeval::trained
