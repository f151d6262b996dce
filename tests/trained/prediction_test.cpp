#include "trained/prediction.hpp"

#include <gtest/gtest.h>

#include "compute/device.hpp"
#include "trained/word_source.hpp"

namespace markeval::trained {
namespace {

/// Texts of 1 to 12 words, and pairs that share many of them.
struct SharedTexts {
  SharedTexts() {
    RandomStream random(8, 0);
    for (int i = 0; i < 90; ++i) {
      std::string text = std::to_string(i);
      for (std::uint64_t words = random.below(12); words > 0; --words)
        text += (random.below(4) == 0 ? "+" : " ") + std::to_string(random.below(50));
      texts.push_back(text);
    }
    for (int i = 0; i < 200; ++i) pairs.push_back({random.below(90), random.below(90), 0});
  }
  std::vector<std::string> texts;
  std::vector<ScoredPair> pairs;
};

struct PredictionTest : ::testing::TestWithParam<Architecture> {};

/// Each text is encoded once, whoever shares it: no score may show that, nor the threads, nor where the words
/// come from.
TEST_P(PredictionTest, IsWhatThePairGetsAlone) {
  const SharedTexts shared;
  const NetworkShape shape{GetParam(), kLetterLayers, kLetterWidth, 20, 7, true};
  const GoldScale scale{60, 12};
  for (const Pieces pieces : {Pieces::all, Pieces::first}) {
    for (const std::size_t threads : {1, 2, 5}) {
      ThreadPool pool(threads);
      const RunContext context{pool};
      const auto device = compute::make_cpu_device(pool);
      const compute::Products& products = device->products();
      Network<float> network(shape);
      Parameters<float> values(network.layout());
      start_parameters(9, values);
      const std::size_t numbers = kLetterLayers * kLetterWidth;
      network.standardise(values, std::vector<double>(numbers, 0.1), std::vector<double>(numbers, 0.7));
      const embed::EncodedTexts encoded = encode_letters({shared.texts.begin(), shared.texts.end()});
      WordVectors vectors(kLetterLayers, kLetterWidth, pieces);
      vectors.add(encoded, pool);
      const std::vector<double> of_states =
          predict(network, values, scale, StateWords(encoded, pieces, network, values, products),
                  shared.pairs, products, context);
      const std::vector<double> of_vectors = predict(
          network, values, scale, VectorWords(vectors, network, values), shared.pairs, products, context);
      EXPECT_EQ(of_states, of_vectors);
      for (std::size_t index = 0; index < shared.pairs.size(); ++index) {
        float alone = 0;
        network.forward(products, values, make_batch(vectors, shared.pairs, std::vector{index}), {},
                        std::span(&alone, 1));
        EXPECT_EQ(of_states[index], static_cast<double>(alone) * 12 + 60);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PredictionTest,
                         ::testing::Values(Architecture::bilstm, Architecture::bilstm_attention,
                                           Architecture::esim));

}  // namespace
}  // namespace markeval::trained
