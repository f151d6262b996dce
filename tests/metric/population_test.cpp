#include "metric/population.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace markeval::metric {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(PopulationScore, IsOneForTheTruthAndNeverBelowZero) {
  EXPECT_EQ(population_score(20, 20), 1);
  EXPECT_DOUBLE_EQ(population_score(25, 20), 0.75);
  EXPECT_DOUBLE_EQ(population_score(15, 20), 0.75);
  EXPECT_EQ(population_score(100, 20), 0);
  EXPECT_EQ(population_score(kInfinity, 20), 0);
}

TEST(Petersen, MultipliesAndDivides) {
  EXPECT_DOUBLE_EQ(petersen_estimate(15, 12, 9), 20);
  EXPECT_EQ(petersen_estimate(10, 10, 0), kInfinity);
}

/// As the paper tells it: rows of S' on a line, each with the one before as its only neighbour, visited in
/// `order`.
Recaptures visit(const std::vector<std::uint32_t>& order, const std::vector<std::uint32_t>& hits,
                 const std::vector<std::uint8_t>& covered) {
  Recaptures total;
  std::vector<std::uint8_t> marked = covered;
  for (const std::uint32_t row : order) {
    total.captured += 2 + hits[row];
    total.recaptured += hits[row];
    for (const std::uint32_t caught : {row, row == 0 ? 1 : row - 1}) {
      total.recaptured += marked[caught];
      marked[caught] = 1;
    }
  }
  return total;
}

TEST(Schnabel, CountsWhatWasMarkedBefore) {
  const std::vector<std::uint32_t> hits{0, 0, 2};
  const std::vector<std::uint8_t> covered{0, 0, 1};
  // Row 0: itself and row 1 are new. Row 1: both known. Row 2: itself covered, row 1 known, two hits.
  const Recaptures visits = schnabel_visits(hits, covered, 1);
  EXPECT_EQ(visits.captured, 2u + 2 + 2 + 2);
  EXPECT_EQ(visits.recaptured, 0u + 2 + 2 + 2);
  EXPECT_DOUBLE_EQ(schnabel_estimate(visits, 6), 8.0 * 6 / 6);
}

// Every row that was not covered is new exactly once, whenever that is: at its own visit at the latest.
TEST(Schnabel, CountsWhatVisitsInAnyOrderCount) {
  const std::vector<std::uint32_t> hits{0, 2, 1, 0};
  for (unsigned bits = 0; bits < 16; ++bits) {
    std::vector<std::uint8_t> covered;
    for (unsigned row = 0; row < 4; ++row) covered.push_back(static_cast<std::uint8_t>(bits >> row & 1));
    const Recaptures found = schnabel_visits(hits, covered, 1);
    std::vector<std::uint32_t> order{0, 1, 2, 3};
    do {
      const Recaptures visits = visit(order, hits, covered);
      EXPECT_EQ(visits.captured, found.captured);
      EXPECT_EQ(visits.recaptured, found.recaptured);
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(Schnabel, NothingRecapturedIsAnInfinitePopulation) {
  EXPECT_EQ(schnabel_estimate({4, 0}, 4), kInfinity);
}

/// ln L(N) of model M0, term by term.
double capture_log_likelihood(const CaptureCounts& counts, std::uint64_t population) {
  const auto x_log_x = [](std::uint64_t x) {
    return x == 0 ? 0.0 : static_cast<double>(x) * std::log(static_cast<double>(x));
  };
  const std::uint64_t chances = counts.occasions * population;
  return std::lgamma(static_cast<double>(population + 1)) -
         std::lgamma(static_cast<double>(population - counts.marked + 1)) + x_log_x(counts.captured) +
         x_log_x(chances - counts.captured) - x_log_x(chances);
}

TEST(Capture, LikelihoodsOfThePaper) {
  // |R| = |E| = 10, R = E, k = 1: each ball holds the twin and the twin's neighbour, so C = 2 * 20 + 2 * 20.
  const CaptureCounts counts{.occasions = 20, .marked = 20, .captured = 80};
  EXPECT_NEAR(capture_log_likelihood(counts, 20), -157.8, 0.05);
  EXPECT_NEAR(capture_log_likelihood(counts, 21), -159.1, 0.05);
  EXPECT_EQ(capture_estimate(counts), 20);
}

TEST(Capture, StepIsTheDifferenceOfLikelihoods) {
  for (const std::uint64_t rows : {2, 20, 300}) {
    for (const std::uint64_t per_row : {2, 3, 10}) {
      const CaptureCounts counts{rows, rows, std::min(per_row * rows, rows * rows)};
      for (const std::uint64_t population : {rows, rows + 1, rows * 2, rows * 10}) {
        EXPECT_NEAR(
            capture_log_likelihood_step(counts, population),
            capture_log_likelihood(counts, population + 1) - capture_log_likelihood(counts, population),
            1e-8);
      }
    }
  }
}

TEST(Capture, FindsTheMaximumThatScanningFinds) {
  for (std::uint64_t rows = 2; rows <= 24; ++rows) {
    for (std::uint64_t captured = rows + 1; captured <= rows * rows; captured += 1 + rows / 7) {
      const CaptureCounts counts{rows, rows, captured};
      std::uint64_t best = rows;
      long double step = 0, height = 0, best_height = 0;
      for (std::uint64_t population = rows; population < rows * 100; ++population) {
        step = capture_log_likelihood_step(counts, population);
        height += step;
        if (height > best_height) {
          best_height = height;
          best = population + 1;
        }
      }
      if (best + 1 < rows * 100) {
        EXPECT_EQ(capture_estimate(counts), static_cast<double>(best)) << rows << " " << captured;
      }
    }
  }
}

// Made with Python 3 and mpmath 1.3 at 60 digits from the same difference of likelihoods, written out
// plainly.
TEST(Capture, IsExactForLargePopulations) {
  struct Case {
    std::uint64_t rows, captured;
    double estimate;
  };
  const std::vector<Case> cases{
      {1000, 2020, 1245},          {1000, 2109, 1212},           {1000, 2725, 1088},
      {1000, 3341, 1041},          {1000, 4003, 1019},           {1000, 8004, 1000},
      {20000, 40034, 25084},       {20000, 42006, 24325},        {20000, 54023, 21840},
      {20000, 66037, 20883},       {20000, 80003, 20404},        {20000, 160032, 20006},
      {200000, 400013, 250993},    {200000, 420002, 243288},     {200000, 540005, 218436},
      {200000, 660027, 208859},    {200000, 800026, 204044},     {200000, 1600004, 200067},
      {1000000, 2000015, 1254993}, {1000000, 2100005, 1216446},  {1000000, 2700035, 1092184},
      {1000000, 3300027, 1044303}, {1000000, 4000003, 1020228},  {1000000, 8000036, 1000336},
      {3000000, 6000007, 3764998}, {3000000, 6300014, 3649341},  {3000000, 8100040, 3276561},
      {3000000, 9900040, 3132914}, {3000000, 12000037, 3060684}, {3000000, 24000003, 3001009}};
  for (const Case& c : cases) {
    EXPECT_EQ(capture_estimate({c.rows, c.rows, c.captured}), c.estimate) << c.rows << " " << c.captured;
  }
}

TEST(Capture, EveryCaptureAFirstOneIsAnInfinitePopulation) {
  EXPECT_EQ(capture_estimate({10, 10, 10}), kInfinity);
}

TEST(Capture, EverythingCaughtEveryTimeIsThePopulationItself) {
  EXPECT_EQ(capture_estimate({10, 10, 100}), 10);
}

}  // namespace
}  // namespace markeval::metric
