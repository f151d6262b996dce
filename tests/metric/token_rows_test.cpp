#include "metric/token_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace markeval::metric {
namespace {

using ::testing::ElementsAre;

const float kVectors[] = {1, 0, 0, 1, 2, 2, 4, 0};
const MatrixView<const float> kTokens(kVectors, 4, 2);
const double kWeights[] = {1, 0, 3, 1};
const std::uint32_t kChosen[] = {0, 1, 2, 3};

TEST(NgramRows, OfOneTokenAreTheTokens) {
  const TokenRows rows = ngram_rows(kTokens, kWeights, kChosen, 1);
  EXPECT_THAT(rows.values, ElementsAre(1, 0, 0, 0, 2, 2, 4, 0))
      << "a token without weight has a row of zeros";
  EXPECT_THAT(rows.weights, ElementsAre(1, 0, 3, 1));
}

TEST(NgramRows, AreWeightedMeansOfNeighboursAmongTheChosen) {
  const std::uint32_t chosen[] = {0, 2, 3};
  const TokenRows rows = ngram_rows(kTokens, kWeights, chosen, 2);
  EXPECT_THAT(rows.weights, ElementsAre(4, 4));
  EXPECT_THAT(rows.values, ElementsAre(1.75f, 1.5f, 2.5f, 1.5f));
  EXPECT_THAT(rows.first, ElementsAre(0, 2));
  EXPECT_THAT(rows.last, ElementsAre(2, 3));
}

TEST(NgramRows, OfATextShorterThanTheWindowIsOneRowOfAll) {
  const TokenRows rows = ngram_rows(kTokens, kWeights, kChosen, 9);
  EXPECT_THAT(rows.weights, ElementsAre(5));
  const TokenRows sentence = ngram_rows(kTokens, kWeights, kChosen, 0);
  EXPECT_EQ(sentence.values, rows.values);
  EXPECT_THAT(sentence.values, ElementsAre(::testing::FloatEq(11.0f / 5), ::testing::FloatEq(6.0f / 5)));
}

TEST(NgramRows, OfNothingAreNothing) {
  EXPECT_TRUE(ngram_rows(kTokens, kWeights, {}, 1).empty());
}

TEST(ChosenRows, KeepVectorsWeightsAndPlaces) {
  const std::uint32_t chosen[] = {3, 1};
  const TokenRows rows = chosen_rows(kTokens, kWeights, chosen);
  EXPECT_THAT(rows.values, ElementsAre(4, 0, 0, 1));
  EXPECT_THAT(rows.weights, ElementsAre(1, 0));
  EXPECT_THAT(rows.first, ElementsAre(3, 1));
}

TEST(DropWeightless, TakesRowsWithoutWeightOutUnlessAllAre) {
  TokenRows rows = chosen_rows(kTokens, kWeights, kChosen);
  drop_weightless(rows);
  EXPECT_THAT(rows.weights, ElementsAre(1, 3, 1));
  EXPECT_THAT(rows.values, ElementsAre(1, 0, 2, 2, 4, 0));
  EXPECT_THAT(rows.first, ElementsAre(0, 2, 3));
  const double none[] = {0, 0, 0, 0};
  rows = chosen_rows(kTokens, none, kChosen);
  drop_weightless(rows);
  EXPECT_EQ(rows.rows(), 4u);
}

TEST(NormalizeRows, GivesUnitLengthAndLeavesZerosAlone) {
  TokenRows rows{2, {3, 4, 0, 0, 6, 8}, {1, 1, 1}, {}, {}};
  normalize_rows(rows);
  EXPECT_EQ(rows.values, (std::vector<float>{0.6f, 0.8f, 0, 0, 0.6f, 0.8f}));
}

TEST(NormalizeRows, AddsEpsilonToTheLength) {
  TokenRows rows{2, {3, 4}, {1}, {}, {}};
  normalize_rows(rows, 5);
  EXPECT_FLOAT_EQ(rows.values[0], 0.3f);
}

}  // namespace
}  // namespace markeval::metric
