#include "meta/coefficient_intervals.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

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

/// Groups of 20 rows, in every second of which the metric runs against people: a coefficient of 1 or -1,
/// whichever rows are drawn.
ScoreTable opposed(std::size_t groups) {
  ScoreTable out;
  out.predicted.resize(1);
  out.predicted[0].name = "m";
  for (std::size_t group = 0; group < groups; ++group) {
    for (int row = 0; row < 20; ++row) {
      out.gold.emplace_back(row);
      out.predicted[0].values.emplace_back(group % 2 == 0 ? row : -row);
      out.group.push_back("g" + std::to_string(group));
    }
  }
  return out;
}

TEST(CoefficientIntervals, OfAMeanOverManyGroupsAreFromWholeGroups) {
  const ScoreTable many = opposed(kGroupsToDraw);
  ASSERT_TRUE(draws_groups(many));
  const Interval mean = *intervals(many, 2).back()[0];
  EXPECT_NEAR(mean.low, -0.6, 0.21) << "2 of 10 groups for people";
  EXPECT_NEAR(mean.high, 0.6, 0.21);
  EXPECT_NEAR(intervals(many, 2)[0][0]->low, 1, 1e-12) << "a group by itself: its rows";
}

TEST(CoefficientIntervals, OfAMeanOverFewGroupsAreFromRowsInsideEach) {
  const ScoreTable few = opposed(kGroupsToDraw - 2);
  ASSERT_FALSE(draws_groups(few));
  const Interval mean = *intervals(few, 2).back()[0];
  EXPECT_NEAR(mean.high - mean.low, 0, 1e-12) << "these groups hold as many of each kind in every resample";
  EXPECT_FALSE(draws_groups(table(60, false))) << "no groups at all";
}

TEST(CoefficientIntervals, LeaveAGroupWithoutAValueOutOfTheMean) {
  ScoreTable many = opposed(kGroupsToDraw);
  for (std::size_t row = 0; row < many.rows(); ++row) {
    if (row / 20 % 2 == 1) many.gold[row] = 1;  // the opposed groups have no coefficient now
  }
  const Interval mean = *intervals(many, 2).back()[0];
  EXPECT_NEAR(mean.low, 1, 1e-12);
  EXPECT_NEAR(mean.high, 1, 1e-12);
}

}  // namespace
}  // namespace markeval::meta
