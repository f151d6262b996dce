#include "meta/system_test.hpp"

#include <gmock/gmock.h>

#include <set>

#include "base/error.hpp"
#include "meta/subsampling.hpp"
#include "meta/support.hpp"

namespace markeval::meta {
namespace {

using testing::ElementsAre;
using testing::Field;

constexpr auto mean_score = [](std::span<const double> sums, std::size_t segments) {
  return sums[0] / static_cast<double>(segments);
};

MatrixView<const double> as_column(const std::vector<double>& values) {
  return {values.data(), values.size(), 1};
}

class SystemTests : public testing::Test {
 protected:
  ThreadPool pool_{2};
  RunContext context_{pool_};
  SystemTestOptions options_{2000, 7, 0.95};
};

TEST_F(SystemTests, TAgreesWithScipy) {
  for (const auto& row : golden_rows("paired_t")) {
    const auto result = paired_t_test(numbers(row[0]), numbers(row[1]));
    ASSERT_TRUE(result);
    EXPECT_NEAR(result->p_value, to_double(row[2]), 1e-12);
    EXPECT_NEAR(result->interval->low, to_double(row[3]), 1e-10);
    EXPECT_NEAR(result->interval->high, to_double(row[4]), 1e-10);
  }
}

TEST_F(SystemTests, TIsAbsentWhereItHasNoValue) {
  const std::vector<double> one{0.5}, some{0.1, 0.2, 0.3}, shifted{1.1, 1.2, 1.3};
  EXPECT_EQ(paired_t_test(one, one), std::nullopt);
  EXPECT_EQ(paired_t_test(some, shifted), std::nullopt);
  EXPECT_EQ(paired_t_test(some, some)->p_value, 1);
  EXPECT_THROW(paired_t_test(some, one), Error);
}

TEST_F(SystemTests, AgreeWithEachOtherOnNormalDifferences) {
  RandomStream stream(50, 0);
  const auto a = random_values(stream, 300, 0);
  auto b = a;
  for (double& value : b) value += 0.06 + 0.5 * stream.normal();
  const double t = paired_t_test(a, b)->p_value;
  ASSERT_GT(t, 0.01);
  ASSERT_LT(t, 0.9);
  options_.resamples = 20'000;
  EXPECT_NEAR(paired_bootstrap(as_column(a), as_column(b), mean_score, options_, context_).p_value, t, 0.02);
  EXPECT_NEAR(approximate_randomisation(as_column(a), as_column(b), mean_score, options_, context_).p_value,
              t, 0.02);
}

TEST_F(SystemTests, RandomisationEstimatesTheExactProbability) {
  const std::vector<double> a{1, 2, 3, 4, 5, 6, 7, 8}, b{2, 2, 5, 4, 6, 9, 7, 7};
  int hits = 0;
  for (unsigned mask = 0; mask < 256; ++mask) {
    double sum = 0;
    for (std::size_t i = 0; i < 8; ++i) sum += ((mask >> i) & 1) != 0 ? a[i] - b[i] : b[i] - a[i];
    hits += std::fabs(sum) >= 6 ? 1 : 0;
  }
  options_.resamples = 40'000;
  const auto result = approximate_randomisation(as_column(a), as_column(b), mean_score, options_, context_);
  EXPECT_DOUBLE_EQ(result.difference, 0.75);
  EXPECT_NEAR(result.p_value, hits / 256.0, 0.01);
}

TEST_F(SystemTests, FindNoDifferenceBetweenASystemAndItself) {
  const std::vector<double> scores{0.1, 0.7, 0.3, 0.35};
  EXPECT_EQ(paired_bootstrap(as_column(scores), as_column(scores), mean_score, options_, context_).p_value,
            1);
  EXPECT_EQ(
      approximate_randomisation(as_column(scores), as_column(scores), mean_score, options_, context_).p_value,
      1);
}

TEST_F(SystemTests, AggregateSummedStatistics) {
  // A corpus precision: matches / words, not a mean of segments.
  const std::vector<double> a{1, 2, 30, 40}, b{2, 2, 35, 40};
  const auto precision = [](std::span<const double> sums, std::size_t) { return sums[0] / sums[1]; };
  const auto result =
      approximate_randomisation({a.data(), 2, 2}, {b.data(), 2, 2}, precision, options_, context_);
  EXPECT_DOUBLE_EQ(result.baseline, 31.0 / 42);
  EXPECT_DOUBLE_EQ(result.system, 37.0 / 42);
  const Interval interval = bootstrap_interval({a.data(), 2, 2}, precision, options_, context_);
  EXPECT_EQ(interval.low, 0.5);
  EXPECT_EQ(interval.high, 0.75);
}

TEST_F(SystemTests, GiveTheSameBitsForAnyNumberOfThreads) {
  RandomStream stream(51, 0);
  const auto a = random_values(stream, 40, 0), b = random_values(stream, 40, 0);
  ThreadPool one(1);
  for (auto* const test : {&paired_bootstrap, &approximate_randomisation}) {
    const auto first = (*test)(as_column(a), as_column(b), mean_score, options_, context_);
    const auto second = (*test)(as_column(a), as_column(b), mean_score, options_, RunContext{one});
    EXPECT_EQ(first.p_value, second.p_value);
    EXPECT_EQ(first.interval.has_value(), second.interval.has_value());
    if (first.interval) {
      EXPECT_EQ(first.interval->low, second.interval->low);
    }
  }
}

TEST_F(SystemTests, IntervalCoversTheMean) {
  // Of 200 samples with mean 0 the 95 % interval should hold 0 in about 190.
  int covered = 0;
  options_.resamples = 400;
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    RandomStream stream(52, trial);
    const Interval interval =
        bootstrap_interval(as_column(random_values(stream, 60, 0)), mean_score, options_, context_);
    covered += interval.low <= 0 && 0 <= interval.high ? 1 : 0;
  }
  EXPECT_GE(covered, 180);
  EXPECT_LE(covered, 198);
}

TEST_F(SystemTests, RefuseWhatTheyCannotPair) {
  const std::vector<double> two{1, 2}, three{1, 2, 3}, bad{1, std::nan("")};
  const std::vector<double> none;
  EXPECT_THROW(paired_bootstrap(as_column(two), as_column(three), mean_score, options_, context_), Error);
  EXPECT_THROW(paired_bootstrap(as_column(none), as_column(none), mean_score, options_, context_), Error);
  try {
    approximate_randomisation(as_column(two), as_column(bad), mean_score, options_, context_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "system: segment 2 is not a finite number");
  }
}

TEST(RankSystems, PutsABorderOnlyWhereAllAboveBeatAllBelow) {
  // By score: 2, 0, 3, 1. Not separated: 2-0, 0-3. 1 is beaten by all.
  const std::vector<double> scores{0.8, 0.1, 0.9, 0.7};
  std::vector<double> p(16, 0.01);
  const auto set = [&](std::size_t i, std::size_t j, double value) { p[i * 4 + j] = p[j * 4 + i] = value; };
  set(2, 0, 0.3);
  set(0, 3, 0.2);
  const auto ranked = rank_systems(scores, {p.data(), 4, 4});
  ASSERT_EQ(ranked.size(), 4u);
  EXPECT_THAT(ranked, ElementsAre(Field(&RankedSystem::system, 2u), Field(&RankedSystem::system, 0u),
                                  Field(&RankedSystem::system, 3u), Field(&RankedSystem::system, 1u)));
  EXPECT_EQ(ranked[0].cluster, 1u);
  EXPECT_EQ(ranked[1].cluster, 1u);
  EXPECT_EQ(ranked[2].cluster, 1u);
  EXPECT_EQ(ranked[3].cluster, 4u);
  EXPECT_EQ(ranked[0].worst_rank, 2u);
  EXPECT_EQ(ranked[2].best_rank, 2u);
  EXPECT_EQ(ranked[2].worst_rank, 3u);
  EXPECT_EQ(ranked[3].best_rank, 4u);
}

TEST(RankSystems, GivesEveryoneACountWhereAllAreSeparatedOrNone) {
  const std::vector<double> scores{1, 2, 3}, separated(9, 0.0), together(9, 1.0);
  const auto apart = rank_systems(scores, {separated.data(), 3, 3}, 0.05, false);
  EXPECT_EQ(apart[0].system, 0u);
  EXPECT_EQ(apart[2].cluster, 3u);
  const auto same = rank_systems(scores, {together.data(), 3, 3});
  EXPECT_EQ(same[2].cluster, 1u);
  EXPECT_EQ(same[2].worst_rank, 3u);
}

TEST(Subsampling, DrawsDifferentRowsInOrder) {
  std::vector<int> counts(10);
  for (std::uint64_t index = 0; index < 20'000; ++index) {
    const auto rows = draw_without_replacement(10, 3, 1, index);
    ASSERT_EQ(rows.size(), 3u);
    ASSERT_TRUE(rows[0] < rows[1] && rows[1] < rows[2]);
    for (const auto row : rows) ++counts.at(row);
  }
  for (const int count : counts) EXPECT_NEAR(count, 6000, 300);
  EXPECT_EQ(draw_without_replacement(4, 4, 1, 1).size(), 4u);
  EXPECT_THROW(draw_without_replacement(4, 5, 1, 1), Error);
}

TEST(Subsampling, RecoversTheStandardErrorOfAMean) {
  // For a mean the truth is known: the interval must be close to +-1.96 s / sqrt(n), for small and large
  // subsamples.
  RandomStream stream(53, 0);
  const auto values = random_values(stream, 400, 0);
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / 400;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double expected = 1.96 * std::sqrt(squares / 399 / 400);
  for (const std::size_t drawn : {40u, 200u, 320u}) {
    std::vector<double> means;
    for (std::uint64_t index = 0; index < 4000; ++index) {
      double sum = 0;
      for (const auto row : draw_without_replacement(400, drawn, 5, index)) sum += values[row];
      means.push_back(sum / static_cast<double>(drawn));
    }
    const Interval interval = subsampling_interval(mean, means, 400, drawn);
    EXPECT_NEAR((interval.high - interval.low) / 2, expected, 0.08 * expected) << drawn;
    EXPECT_NEAR((interval.high + interval.low) / 2, mean, 0.1 * expected) << drawn;
    EXPECT_NEAR(subsampling_p_value(expected, means, 400, drawn), 0.05, 0.02) << drawn;
  }
}

TEST(Subsampling, DoesNotTakeTheEffectOfFewerRowsForNoise) {
  const std::vector<double> scores{0.50, 0.51, 0.49, 0.50};  // all rows scored 0.9: the shift is not spread
  const Interval interval = subsampling_interval(0.9, scores, 100, 50);
  EXPECT_NEAR(interval.low, 0.89, 1e-12);
  EXPECT_NEAR(interval.high, 0.91, 1e-12);
}

TEST(Subsampling, ScalesByTheRowsLeftOut) {
  EXPECT_EQ(subsampling_scale(100, 50), 1);
  EXPECT_DOUBLE_EQ(subsampling_scale(100, 20), 0.5);
  EXPECT_THROW(subsampling_scale(100, 100), Error);
  EXPECT_THROW(subsampling_scale(100, 0), Error);
  EXPECT_THROW(subsampling_interval(1, {}, 10, 5), Error);
}

}  // namespace
}  // namespace markeval::meta
