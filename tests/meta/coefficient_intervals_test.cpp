#include "meta/coefficient_intervals.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "base/random.hpp"

namespace markeval::meta {
namespace {

constexpr std::array kCoefficients{Coefficient::pearson, Coefficient::accuracy, Coefficient::spearman};

ScoreTable table(std::size_t rows, bool grouped) {
  RandomStream random(3, 0);
  ScoreTable out;
  out.predicted.resize(1);
  out.predicted[0].name = "m";
  for (std::size_t row = 0; row < rows; ++row) {
    const double gold = random.normal();
    out.gold.emplace_back(gold);
    out.predicted[0].values.emplace_back(gold + random.normal());
    if (grouped) out.group.emplace_back(row % 2 == 0 ? "a" : "b");
  }
  return out;
}

std::vector<std::vector<std::optional<Interval>>> intervals(const ScoreTable& of, std::size_t threads) {
  ThreadPool pool(threads);
  return coefficient_intervals(of, kCoefficients, {}, 400, 12345, RunContext{pool});
}

TEST(CoefficientIntervals, HoldTheCoefficientAndAreAsWideAsFishersFormulaSays) {
  const ScoreTable of = table(400, false);
  const double r = *correlate(of, kCoefficients)[0].values[0];
  const auto found = intervals(of, 2);
  ASSERT_EQ(found.size(), 1U);
  ASSERT_TRUE(found[0][0]);
  EXPECT_LT(found[0][0]->low, r);
  EXPECT_GT(found[0][0]->high, r);
  const double fisher = 2 * 1.96 / std::sqrt(400 - 3) * (1 - r * r);  // the derivative of tanh at atanh(r)
  EXPECT_NEAR(found[0][0]->high - found[0][0]->low, fisher, 0.25 * fisher);
  EXPECT_FALSE(found[0][1]) << "accuracy would pair a row with its own copy";
  EXPECT_TRUE(found[0][2]);
}

TEST(CoefficientIntervals, AreTheSameForAnyNumberOfThreads) {
  const ScoreTable of = table(60, true);
  const auto one = intervals(of, 1), three = intervals(of, 3);
  ASSERT_EQ(one.size(), 3U) << "two groups and their mean";
  for (std::size_t row = 0; row < one.size(); ++row) {
    EXPECT_EQ(one[row][0]->low, three[row][0]->low);
    EXPECT_EQ(one[row][2]->high, three[row][2]->high);
  }
}

}  // namespace
}  // namespace markeval::meta
