#include "metric/greedy_match.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "metric/random_rows.hpp"

namespace markeval::metric {
namespace {

/// BERTScore as the paper writes it, in double.
PrecisionRecall plain_bertscore(const TokenRows& candidate, const TokenRows& reference) {
  const auto direction = [](const TokenRows& from, const TokenRows& to) {
    double sum = 0;
    double total = 0;
    for (std::size_t i = 0; i < from.rows(); ++i) {
      double best = -2;
      for (std::size_t j = 0; j < to.rows(); ++j) best = std::max(best, cosine(from, i, to, j));
      sum += from.weights[i] * best;
      total += from.weights[i];
    }
    return sum / total;
  };
  const double p = direction(candidate, reference);
  const double r = direction(reference, candidate);
  return {p, r, 2 * p * r / (p + r)};
}

TEST(GreedyMatch, IsTheFormulaOfThePaper) {
  GreedyMatcher matcher;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const TokenRows candidate = random_rows(seed, 1 + seed % 9, 48);
    const TokenRows reference = random_rows(seed + 100, 1 + seed % 5, 48);
    const PrecisionRecall expected = plain_bertscore(candidate, reference);
    const PrecisionRecall found = match(matcher, candidate, reference);
    EXPECT_NEAR(found.precision, expected.precision, 1e-6);
    EXPECT_NEAR(found.recall, expected.recall, 1e-6);
    EXPECT_NEAR(found.f1, expected.f1, 2e-6);
  }
}

TEST(GreedyMatch, OfEqualTextsIsOne) {
  GreedyMatcher matcher;
  const TokenRows rows = random_rows(1, 7, 48);
  const PrecisionRecall same = match(matcher, rows, rows);
  EXPECT_EQ(same.precision, 1);
  EXPECT_EQ(same.recall, 1);
  EXPECT_EQ(same.f1, 1);
  for (std::uint32_t row = 0; row < 7; ++row) EXPECT_EQ(matcher.candidate_matches()[row].row, row);
}

TEST(GreedyMatch, SwapsPrecisionAndRecallWithTheTexts) {
  GreedyMatcher matcher;
  const TokenRows a = random_rows(1, 7, 48);
  const TokenRows b = random_rows(2, 5, 48);
  const PrecisionRecall there = match(matcher, a, b);
  const PrecisionRecall back = match(matcher, b, a);
  EXPECT_EQ(there.precision, back.recall);
  EXPECT_EQ(there.recall, back.precision);
}

TEST(GreedyMatch, LetsAWeightlessRowBeAPartnerButNotCount) {
  TokenRows candidate;
  candidate.columns = 2;
  candidate.values = {1, 0};
  candidate.weights = {1};
  TokenRows reference;
  reference.columns = 2;
  reference.values = {0, 1, 1, 0};
  reference.weights = {1, 0};
  GreedyMatcher matcher;
  const PrecisionRecall found = match(matcher, candidate, reference);
  EXPECT_EQ(found.precision, 1) << "the special token is the best partner";
  EXPECT_EQ(found.recall, 0) << "and has no say of its own";
  EXPECT_EQ(found.f1, 0);
  EXPECT_EQ(matcher.candidate_matches()[0].row, 1u);
}

TEST(GreedyMatch, CountsANegativeBestAsItIsOrAsZero) {
  TokenRows candidate;
  candidate.columns = 2;
  candidate.values = {1, 0, 0, 1};
  candidate.weights = {1, 1};
  TokenRows reference;
  reference.columns = 2;
  reference.values = {-0.6f, 0.8f};
  reference.weights = {1};
  GreedyMatcher matcher;
  EXPECT_NEAR(match(matcher, candidate, reference).precision, (-0.6 + 0.8) / 2, 1e-7);
  EXPECT_NEAR(match(matcher, candidate, reference, NegativeMatch::zero).precision, 0.4, 1e-7);
  EXPECT_NEAR(match(matcher, candidate, reference, NegativeMatch::zero).recall, 0.8, 1e-7);
  EXPECT_NEAR(matcher.candidate_matches()[0].similarity, -0.6, 3e-7) << "links show the cosine";
}

TEST(GreedyMatch, WeighsAllRowsAlikeWhereNoneHasWeight) {
  TokenRows weighted = random_rows(3, 6, 48);
  const TokenRows other = random_rows(4, 5, 48);
  TokenRows weightless_rows = weighted;
  std::fill(weighted.weights.begin(), weighted.weights.end(), 1);
  std::fill(weightless_rows.weights.begin(), weightless_rows.weights.end(), 0);
  GreedyMatcher matcher;
  EXPECT_EQ(match(matcher, weighted, other).precision, match(matcher, weightless_rows, other).precision);
}

TEST(HarmonicMean, IsZeroWhereTheSignsDiffer) {
  EXPECT_DOUBLE_EQ(harmonic_mean(0.5, 1), 2.0 / 3);
  EXPECT_EQ(harmonic_mean(0.5, -0.5), 0);
  EXPECT_EQ(harmonic_mean(0, 0.5), 0);
  EXPECT_DOUBLE_EQ(harmonic_mean(-0.5, -0.5), -0.5);
}

}  // namespace
}  // namespace markeval::metric
