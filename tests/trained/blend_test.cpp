#include "trained/blend.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "support/temp_folder.hpp"

namespace markeval::trained {
namespace {

BlendPart part(const std::string& request) {
  return {request, "score", request + "|tok:none", 0, 1, 0};
}

/// Two metrics of different scale; people's score is made of them, with no noise.
struct Scores {
  Scores() {
    RandomStream random(3, 0);
    for (std::size_t i = 0; i < 200; ++i) {
      values[0].push_back(random.normal());
      values[1].push_back(50 + 10 * random.normal());
      gold.push_back(7 + 3 * values[0].back() - 0.1 * values[1].back());
    }
  }
  std::vector<std::vector<double>> values{2};
  std::vector<double> gold;
};

TEST(Blend, FindsTheWeightsScoresAreMadeOf) {
  const Scores scores;
  const Blend blend = fit_blend({part("bleu"), part("ter")}, scores.values, scores.gold, 0);
  // In units of the deviations 3 and 1 of the two terms: their ratio is 3 to -1.
  EXPECT_NEAR(blend.parts[0].weight / blend.parts[1].weight,
              -3 * blend.parts[0].deviation / (0.1 * blend.parts[1].deviation), 1e-9);
  double sum = 0;
  for (std::size_t i = 0; i < scores.gold.size(); ++i) {
    const double values[] = {scores.values[0][i], scores.values[1][i]};
    sum += blend.score(values);
  }
  EXPECT_NEAR(sum, 0, 1e-9) << "0 is the mean of the pairs learned from";
}

TEST(Blend, APenaltyShrinksWeightsAndSharesThemAmongTwins) {
  Scores scores;
  scores.values[1] = scores.values[0];
  const Blend loose = fit_blend({part("bleu"), part("ter")}, scores.values, scores.gold, 1e-3);
  const Blend tight = fit_blend({part("bleu"), part("ter")}, scores.values, scores.gold, 1);
  EXPECT_NEAR(loose.parts[0].weight, loose.parts[1].weight, 1e-9);
  EXPECT_LT(tight.parts[0].weight, loose.parts[0].weight);
}

TEST(Blend, AConstantPartHasNoWeight) {
  Scores scores;
  scores.values[1].assign(scores.gold.size(), 4);
  const Blend blend = fit_blend({part("bleu"), part("ter")}, scores.values, scores.gold, 0.01);
  EXPECT_EQ(blend.parts[1].weight, 0);
  EXPECT_EQ(blend.parts[1].deviation, 1);
}

// A spread of 1e-14 was once a part with a weight: -0.29 or 1.19 for texts that score otherwise.
TEST(Blend, RoundingIsNoSpread) {
  Scores scores;
  for (std::size_t i = 0; i < scores.gold.size(); ++i) scores.values[1][i] = 100 + (i % 2 == 0 ? 1.4e-14 : 0);
  const Blend blend = fit_blend({part("bleu"), part("ter")}, scores.values, scores.gold, 0.01);
  EXPECT_EQ(blend.parts[1].weight, 0);
  EXPECT_EQ(blend.parts[1].deviation, 1);
}

TEST(Blend, IsReadAsItWasWritten) {
  const TempFolder folder;
  const Scores scores;
  Blend blend = fit_blend({part("bleu"), part("ter")}, scores.values, scores.gold, 0.01);
  write_blend(folder.path(), {{}, {}, "ref r, hyp h, gold g", 0.5}, blend);
  const Blend read = read_blend(folder.path());
  EXPECT_EQ(read.hash, blend.hash);
  ASSERT_EQ(read.parts.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.parts[i].metric.typed, blend.parts[i].metric.typed);
    EXPECT_EQ(read.parts[i].weight, blend.parts[i].weight);
    EXPECT_EQ(read.parts[i].mean, blend.parts[i].mean);
    EXPECT_EQ(read.parts[i].deviation, blend.parts[i].deviation);
  }
}

TEST(Blend, OfADamagedFileIsAnErrorThatSaysWhat) {
  const TempFolder folder;
  const std::string path =
      folder.write("config.json", R"({"architecture": "blend", "penalty": 1, "parts": []})");
  EXPECT_ERROR(read_blend(folder.path()), ErrorCode::invalid_input,
               path + ": damaged: it has no list 'parts'");
  folder.write("config.json",
               R"({"architecture": "blend", "penalty": 1, "parts": [{"metric": "chrf", "result": "chrf",
                   "signature": "", "mean": 0, "deviation": 0, "weight": 1}]})");
  EXPECT_ERROR(read_blend(folder.path()), ErrorCode::invalid_input,
               path + ": damaged: a deviation is not above 0");
  folder.write("config.json", R"({"architecture": "blend", "penalty": 1, "parts": [3]})");
  EXPECT_ERROR(read_blend(folder.path()), ErrorCode::invalid_input, path + ": damaged: a part is no object");
}

TEST(Blend, SignaturesAreComparedByWhatChangesScores) {
  EXPECT_EQ(comparable_signature("chrf|nrefs:2|case:mixed|bs:1000|seed:7|version:0.1.0"), "chrf|case:mixed");
  EXPECT_EQ(comparable_signature("match|head:1234"), "match|head:1234");
}

}  // namespace
}  // namespace markeval::trained
