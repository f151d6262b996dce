#include "trained/match_network.hpp"

#include <gtest/gtest.h>

#include "compute/device.hpp"
#include "trained/gradient_check.hpp"
#include "trained/same_bits.hpp"

namespace markeval::trained {
namespace {

struct TinyMatchBatch {
  TinyMatchBatch(std::size_t layers, std::size_t width, std::vector<std::size_t> lengths) {
    batch.sequences = TextSpans(lengths);
    const std::size_t size = layers * width;
    for (const double value : random_values(batch.sequences.rows() * size, 5))
      states.push_back(to_half(static_cast<float>(value)));
    for (std::size_t row = 0; row < batch.sequences.rows(); ++row)
      batch.states.push_back(states.data() + row * size);
    batch.cosines = random_values(lengths.size() / 2, 8);
  }
  std::vector<Half> states;
  MatchBatch batch;
};

struct MatchNetworkTest : ::testing::TestWithParam<std::size_t> {
  MatchShape shape{3, 8, 2, 4, GetParam()};
  TinyMatchBatch tiny{3, 8, {3, 1, 2, 4, 5, 2}};  // three pairs
};

TEST_P(MatchNetworkTest, GradientOfTheLossByEveryWeight) {
  for (const DropoutDraw draw : {DropoutDraw{}, DropoutDraw{0.3, 4, 2, false}}) {
    ThreadPool pool(2);
    const auto device = compute::make_cpu_device(pool);
    const compute::Products& products = device->products();
    MatchNetwork<double> network(shape);
    Parameters<double> parameters(network.layout()), gradient(network.layout());
    const std::vector<double> values = random_values(network.layout().size(), 21);
    std::copy(values.begin(), values.end(), parameters.values().begin());
    const std::vector<double> gold{0.5, -1.0, 0.8};
    std::vector<double> scores(3), d_scores(3);
    const auto loss = [&] {
      network.forward(products, parameters, tiny.batch, draw, scores);
      return pearson_loss<double>(scores, gold, d_scores);
    };
    loss();
    network.backward(products, parameters, tiny.batch, d_scores, gradient);
    expect_gradient(parameters.values(), gradient.values(), "match", loss);
  }
}

TEST_P(MatchNetworkTest, SameBitsForAnyNumberOfThreadsAndNeighbours) {
  const MatchShape wide{2, 24, 3, 10, GetParam()};
  const TinyMatchBatch all(2, 24, {9, 4, 17, 3, 6, 5, 11, 2, 8, 7, 13, 1});
  MatchBatch one;
  const std::vector<std::size_t> lengths{9, 11};
  one.sequences = TextSpans(lengths);
  one.states = rows_of_first(all.batch.sequences, all.batch.states);
  one.cosines = {all.batch.cosines[0]};
  expect_same_bits<MatchNetwork<float>>(wide, all.batch, one, 0.1);
}

INSTANTIATE_TEST_SUITE_P(LinearAndHidden, MatchNetworkTest, ::testing::Values(0u, 5u));

TEST(MatchNetwork, StartsAsTheMeanOfItsFeatures) {
  ThreadPool pool(1);
  const auto device = compute::make_cpu_device(pool);
  MatchNetwork<float> network({3, 8, 2, 4, 0});
  Parameters<float> parameters(network.layout());
  start_parameters(1, parameters);
  TinyMatchBatch same(3, 8, {4, 4});  // a text and the same text
  for (std::size_t token = 0; token < 4; ++token) same.batch.states[4 + token] = same.batch.states[token];
  same.batch.cosines = {1};
  float score = 0;
  network.forward(device->products(), parameters, same.batch, {}, std::span(&score, 1));
  EXPECT_NEAR(score, 1, 1e-6);
}

TEST(PearsonLoss, IsOneWithoutGradientWhereAllScoresAreTheSame) {
  std::vector<double> d_scores{3, 3};
  EXPECT_EQ(pearson_loss<double>(std::vector<double>{1, 1}, std::vector<double>{1, 2}, d_scores), 1);
  EXPECT_EQ(d_scores, (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace markeval::trained
