#include "trained/network.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "compute/device.hpp"
#include "trained/gradient_check.hpp"
#include "trained/same_bits.hpp"

namespace markeval::trained {
namespace {

struct TinyBatch {
  TinyBatch(std::size_t layers, std::size_t width, std::vector<std::size_t> lengths) {
    batch.sequences = TextSpans(lengths);
    const std::size_t size = layers * width;
    for (const double value : random_values(batch.sequences.rows() * size, 5))
      vectors.push_back(to_half(static_cast<float>(value)));
    for (std::size_t row = 0; row < batch.sequences.rows(); ++row)
      batch.words.push_back(vectors.data() + row * size);
  }
  std::vector<Half> vectors;
  PairBatch batch;
};

struct NetworkTest : ::testing::TestWithParam<Architecture> {
  NetworkShape shape{GetParam(), 3, 4, 3, 5};
  TinyBatch tiny{3, 4, {3, 1, 2, 4, 5, 2}};  // three pairs
};

TEST_P(NetworkTest, GradientOfEveryWeight) {
  for (const DropoutDraw draw :
       {DropoutDraw{}, DropoutDraw{0.5, 4, 2, true}, DropoutDraw{0.5, 4, 2, false}}) {
    ThreadPool pool(2);
    const auto device = compute::make_cpu_device(pool);
    const compute::Products& products = device->products();
    Network<double> network(shape);
    Parameters<double> parameters(network.layout()), gradient(network.layout());
    const std::vector<double> values = random_values(network.layout().size(), 21);
    for (std::size_t i = 0; i < values.size(); ++i) parameters.values()[i] = 0.6 * values[i];
    const std::vector<double> weight{0.5, -1.0, 0.8};
    std::vector<double> scores(3);
    const auto loss = [&] {
      network.forward(products, parameters, tiny.batch, draw, scores);
      return dot(scores, weight);
    };
    loss();
    network.backward(products, parameters, tiny.batch, weight, gradient);
    expect_gradient(parameters.values(), gradient.values(), std::string(name(GetParam())), loss);
  }
}

TEST_P(NetworkTest, FloatFollowsDouble) {
  ThreadPool pool(2);
  const auto device = compute::make_cpu_device(pool);
  const compute::Products& products = device->products();
  Network<double> exact(shape);
  Network<float> fast(shape);
  Parameters<double> p(exact.layout()), g(exact.layout());
  Parameters<float> q(fast.layout()), h(fast.layout());
  start_parameters(3, q);
  for (std::size_t i = 0; i < q.values().size(); ++i) p.values()[i] = static_cast<double>(q.values()[i]);
  std::vector<double> exact_scores(3), d{1, 2, -1};
  std::vector<float> fast_scores(3), e{1, 2, -1};
  exact.forward(products, p, tiny.batch, {}, exact_scores);
  fast.forward(products, q, tiny.batch, {}, fast_scores);
  exact.backward(products, p, tiny.batch, d, g);
  fast.backward(products, q, tiny.batch, e, h);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(fast_scores[i], exact_scores[i], 1e-5);
  for (std::size_t i = 0; i < g.values().size(); ++i)
    EXPECT_NEAR(static_cast<double>(h.values()[i]), g.values()[i], 1e-5);
}

TEST_P(NetworkTest, MayStartAsADistance) {
  const NetworkShape even{GetParam(), 3, 4, 3, 6};
  ThreadPool pool(1);
  const auto device = compute::make_cpu_device(pool);
  const compute::Products& products = device->products();
  Network<float> network(even);
  Parameters<float> parameters(network.layout());
  start_parameters(3, parameters);
  network.start_as_distance(parameters, -2, 0.5);
  // The second pair becomes a text and the same text.
  TinyBatch same(3, 4, {3, 4, 2, 4, 4, 2});
  for (std::size_t word = 0; word < 4; ++word)
    same.batch.words[same.batch.sequences.begin(4) + word] =
        same.batch.words[same.batch.sequences.begin(1) + word];
  std::vector<float> scores(3);
  network.forward(products, parameters, same.batch, {}, scores);
  EXPECT_EQ(scores[1], 0.5f);
  EXPECT_LT(scores[0], 0.5f);
  EXPECT_LT(scores[2], 0.5f);
  // Also while values are dropped, where both texts lose the same columns.
  network.forward(products, parameters, same.batch, {0.5, 1, 1, true}, scores);
  EXPECT_NEAR(scores[1], 0.5f, 1e-6f);
}

TEST_P(NetworkTest, SameBitsForAnyNumberOfThreadsAndNeighbours) {
  const NetworkShape wide{GetParam(), 2, 24, 20, 16};
  TinyBatch all(2, 24, {9, 4, 17, 3, 6, 5, 11, 2, 8, 7, 13, 1});
  PairBatch one;
  const std::vector<std::size_t> lengths{9, 11};
  one.sequences = TextSpans(lengths);
  one.words = rows_of_first(all.batch.sequences, all.batch.words);
  expect_same_bits<Network<float>>(wide, all.batch, one, 0.5);
}

INSTANTIATE_TEST_SUITE_P(All, NetworkTest,
                         ::testing::Values(Architecture::bilstm, Architecture::bilstm_attention,
                                           Architecture::esim));

TEST(ParseArchitecture, NamesTheClosestWord) {
  EXPECT_EQ(parse_architecture("esim"), Architecture::esim);
  try {
    parse_architecture("bilsm");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "unknown architecture 'bilsm'; did you mean 'bilstm'?");
  }
}

}  // namespace
}  // namespace markeval::trained
