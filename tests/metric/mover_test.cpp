#include "metric/mover.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/sum_of_squares.hpp"
#include "metric/random_rows.hpp"

namespace markeval::metric {
namespace {

TokenRows equal_weights(TokenRows rows) {
  std::fill(rows.weights.begin(), rows.weights.end(), 1);
  return rows;
}

double distance(MoverDistance kind, double cosine) {
  if (kind == MoverDistance::cosine) return 1 - cosine;
  return kind == MoverDistance::squared ? 2 - 2 * cosine : std::sqrt(2 - 2 * cosine);
}

/// The cheapest assignment of n equal masses to n, by trying them all.
double plain_mover(const TokenRows& a, const TokenRows& b, MoverDistance kind) {
  std::vector<std::size_t> partner(a.rows());
  std::iota(partner.begin(), partner.end(), std::size_t{0});
  double least = 1e300;
  do {
    double cost = 0;
    for (std::size_t i = 0; i < a.rows(); ++i) cost += distance(kind, cosine(a, i, b, partner[i]));
    least = std::min(least, cost / static_cast<double>(a.rows()));
  } while (std::next_permutation(partner.begin(), partner.end()));
  return least;
}

TEST(Mover, IsOneMinusTheCheapestAssignmentOfEqualMasses) {
  Mover mover;
  for (const MoverDistance kind : {MoverDistance::squared, MoverDistance::euclidean, MoverDistance::cosine}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const TokenRows a = equal_weights(random_rows(seed, 6, 32));
      const TokenRows b = equal_weights(random_rows(seed + 50, 6, 32));
      EXPECT_NEAR(score(mover, a, b, {kind, MoverCompat::none}), 1 - plain_mover(a, b, kind), 1e-6);
    }
  }
}

TEST(Mover, OfOneRowEachIsOneMinusTheirDistance) {
  Mover mover;
  const TokenRows a = random_rows(1, 1, 32);
  const TokenRows b = random_rows(2, 1, 32);
  EXPECT_NEAR(score(mover, a, b, {}), 1 - (2 - 2 * cosine(a, 0, b, 0)), 1e-6);
}

TEST(Mover, OfEqualTextsIsOne) {
  Mover mover;
  const TokenRows rows = random_rows(3, 9, 32);
  EXPECT_EQ(score(mover, rows, rows, {}), 1);
  EXPECT_EQ(score(mover, rows, rows, {MoverDistance::squared, MoverCompat::v1}), 1);
  EXPECT_EQ(score(mover, rows, rows, {MoverDistance::cosine, MoverCompat::none}), 1);
}

TEST(Mover, IsSymmetricAndBlindToTheOrderOfRows) {
  Mover mover;
  const TokenRows a = random_rows(4, 8, 32);
  const TokenRows b = random_rows(5, 6, 32);
  EXPECT_NEAR(score(mover, a, b, {}), score(mover, b, a, {}), 1e-12);
  TokenRows turned = a;
  for (std::size_t row = 0; row < 8; ++row) {
    std::copy_n(a.values.data() + row * 32, 32, turned.values.data() + (7 - row) * 32);
    turned.weights[7 - row] = a.weights[row];
  }
  EXPECT_NEAR(score(mover, a, b, {}), score(mover, turned, b, {}), 1e-12);
}

TEST(Mover, WeighsAllRowsAlikeWhereNoneHasWeight) {
  Mover mover;
  TokenRows a = random_rows(6, 5, 32);
  const TokenRows b = random_rows(7, 4, 32);
  const double even = score(mover, equal_weights(a), b, {});
  std::fill(a.weights.begin(), a.weights.end(), 0);
  EXPECT_EQ(score(mover, a, b, {}), even);
}

TEST(MoverCompatV1, IsOneWhereNoRowHasWeightAsThatProgramSays) {
  Mover mover;
  TokenRows a = random_rows(6, 5, 32);
  TokenRows b = random_rows(7, 4, 32);
  std::fill(a.weights.begin(), a.weights.end(), 0);
  const double one_sided = score(mover, a, b, {MoverDistance::squared, MoverCompat::v1});
  EXPECT_LT(one_sided, 1) << "the whole mass of b is charged the largest distance";
  std::fill(b.weights.begin(), b.weights.end(), 0);
  EXPECT_EQ(score(mover, a, b, {MoverDistance::squared, MoverCompat::v1}), 1);
}

TEST(MoverCompatV1, ChargesTheMassThatIsMissingTheLargestDistance) {
  // Two rows against one. Masses 2/(2 + 1e-5) and 4/(4 + 1e-5), costs 0 and 2; within the reference the
  // distance is 2.
  TokenRows candidate{2, {1, 0}, {4}, {0}, {0}};
  TokenRows reference{2, {1, 0, 0, 1}, {1, 1}, {0, 1}, {0, 1}};
  Mover mover;
  const double supply = 2 / (2 + 1e-5);
  const double demand = 4 / (4 + 1e-5);
  EXPECT_NEAR(score(mover, candidate, reference, {MoverDistance::squared, MoverCompat::v1}),
              1 - (supply / 2 * 2 + (demand - supply) * 2), 1e-12);
}

TEST(MoverCompatV2, IsOneOverOnePlusThePlainCost) {
  TokenRows candidate{2, {1, 0}, {4}, {0}, {0}};
  TokenRows reference{2, {1, 0, 0, 1}, {1, 1}, {0, 1}, {0, 1}};
  Mover mover;
  EXPECT_NEAR(score(mover, candidate, reference, {MoverDistance::euclidean, MoverCompat::v2}),
              1 / (1 + std::sqrt(2) / 2), 1e-7);  // its distances are float32
}

/// Equal words are not at distance 0 to that program: float32 sums of squares and products round differently.
TEST(MoverCompatV2, ShowsTheRoundingOfThatProgram) {
  TokenRows rows = random_rows(3, 8, 384);
  normalize_rows(rows);
  double cost = 0;
  for (std::size_t row = 0; row < 8; ++row) {
    float product = 0;
    for (const float value : rows.view().row(row)) product = std::fma(value, value, product);
    const auto square = static_cast<float>(sum_of_squares(rows.view().row(row)));
    cost += std::sqrt(std::max((square - 2 * product) + square, 1e-30f)) / 8;
  }
  rows.weights.assign(8, 1);
  Mover mover;
  EXPECT_GT(cost, 1e-5);
  EXPECT_NEAR(score(mover, rows, rows, {MoverDistance::euclidean, MoverCompat::v2}), 1 / (1 + cost), 1e-9);
}

TEST(HardMover, SendsEveryRowToItsNearest) {
  Mover mover;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const TokenRows a = random_rows(seed, 1 + seed % 7, 32);
    const TokenRows b = random_rows(seed + 9, 5, 32);
    for (const MoverDistance kind :
         {MoverDistance::squared, MoverDistance::euclidean, MoverDistance::cosine}) {
      const auto direction = [&](const TokenRows& from, const TokenRows& to) {
        double sum = 0;
        double total = 0;
        for (std::size_t i = 0; i < from.rows(); ++i) {
          double least = 1e300;
          for (std::size_t j = 0; j < to.rows(); ++j)
            least = std::min(least, distance(kind, cosine(from, i, to, j)));
          sum += from.weights[i] * least;
          total += from.weights[i];
        }
        return 1 - sum / total;
      };
      const PrecisionRecall found = hard(mover, a, b, {kind, MoverCompat::none});
      EXPECT_NEAR(found.precision, direction(a, b), 2e-6);
      EXPECT_NEAR(found.recall, direction(b, a), 2e-6);
      const double worse = std::min(found.precision, found.recall);
      EXPECT_NEAR(found.f1, worse > 0 ? harmonic_mean(found.precision, found.recall) : worse, 1e-12);
    }
  }
}

TEST(HardMover, WithCosineIsBertScore) {
  Mover mover;
  GreedyMatcher matcher;
  const TokenRows a = random_rows(1, 7, 32);
  const TokenRows b = random_rows(2, 5, 32);
  const PrecisionRecall found_hard = hard(mover, a, b, {MoverDistance::cosine, MoverCompat::none});
  const PrecisionRecall greedy = match(matcher, a, b);
  EXPECT_NEAR(found_hard.precision, greedy.precision, 1e-12);
  EXPECT_NEAR(found_hard.recall, greedy.recall, 1e-12);
}

TEST(HardMover, NeverCostsMoreThanTheSoftOne) {
  Mover mover;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const TokenRows a = random_rows(seed, 6, 32);
    const TokenRows b = random_rows(seed + 9, 8, 32);
    const PrecisionRecall found_hard = hard(mover, a, b, {});
    EXPECT_GE(std::min(found_hard.precision, found_hard.recall), score(mover, a, b, {}) - 1e-12);
  }
}

}  // namespace
}  // namespace markeval::metric
