#include "meta/system_significance.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "meta/split_halves.hpp"
#include "meta/support.hpp"

namespace markeval::meta {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;

constexpr auto mean_score = [](std::span<const double> sums, std::size_t segments) {
  return sums[0] / static_cast<double>(segments);
};

MatrixView<const double> as_column(const std::vector<double>& values) {
  return {values.data(), values.size(), 1};
}

/// The mean of both systems over segments drawn with replacement.
SystemDifference bootstrap_of_means(const std::vector<double>& a, const std::vector<double>& b,
                                    std::size_t resamples) {
  const auto count = static_cast<double>(a.size());
  std::vector<double> differences(resamples);
  for (std::size_t index = 0; index < resamples; ++index) {
    RandomStream stream(7, index);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::size_t row = stream.below(a.size());
      differences[index] += (b[row] - a[row]) / count;
    }
  }
  return resampled_difference(std::accumulate(a.begin(), a.end(), 0.0) / count,
                              std::accumulate(b.begin(), b.end(), 0.0) / count, differences);
}

class SystemTests : public ::testing::Test {
 protected:
  ThreadPool pool_{2};
  RunContext context_{pool_};
  SystemTestOptions options_{2000, 7};
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
  EXPECT_NEAR(bootstrap_of_means(a, b, 20'000).p_value, t, 0.02);
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
  EXPECT_EQ(bootstrap_of_means(scores, scores, 100).p_value, 1);
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
}

TEST_F(SystemTests, GiveTheSameBitsForAnyNumberOfThreads) {
  RandomStream stream(51, 0);
  const auto a = random_values(stream, 40, 0), b = random_values(stream, 40, 0);
  ThreadPool one(1);
  EXPECT_EQ(
      approximate_randomisation(as_column(a), as_column(b), mean_score, options_, context_).p_value,
      approximate_randomisation(as_column(a), as_column(b), mean_score, options_, RunContext{one}).p_value);
}

TEST_F(SystemTests, IntervalCoversTheDifference) {
  // Of 200 samples with difference 0 the 95 % interval should hold 0 in about 190.
  int covered = 0;
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    RandomStream stream(52, trial);
    const auto a = random_values(stream, 60, 0), b = random_values(stream, 60, 0);
    const Interval interval = *bootstrap_of_means(a, b, 400).interval;
    covered += interval.low <= 0 && 0 <= interval.high ? 1 : 0;
  }
  EXPECT_GE(covered, 180);
  EXPECT_LE(covered, 198);
}

TEST_F(SystemTests, RefuseWhatTheyCannotPair) {
  const std::vector<double> two{1, 2}, three{1, 2, 3}, bad{1, std::nan("")};
  const std::vector<double> none;
  EXPECT_THROW(approximate_randomisation(as_column(two), as_column(three), mean_score, options_, context_),
               Error);
  EXPECT_THROW(approximate_randomisation(as_column(none), as_column(none), mean_score, options_, context_),
               Error);
  EXPECT_THROW(resampled_difference(0, 1, {}), Error);
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

TEST(Splits, PutEveryRowAsOftenIntoEachHalf) {
  std::vector<int> first(7), second(7);
  for (std::uint64_t index = 0; index < 21'000; ++index) {
    const Halves halves = split_in_halves(7, 1, index);
    ASSERT_EQ(halves.first.size(), 3u);
    ASSERT_EQ(halves.second.size(), 3u);
    std::vector<std::uint32_t> both;
    std::set_union(halves.first.begin(), halves.first.end(), halves.second.begin(), halves.second.end(),
                   std::back_inserter(both));
    ASSERT_EQ(both.size(), 6u);  // rising, and no row in both
    for (const auto row : halves.first) ++first.at(row);
    for (const auto row : halves.second) ++second.at(row);
  }
  for (std::size_t row = 0; row < 7; ++row) {
    EXPECT_NEAR(first[row], 9000, 300) << row;
    EXPECT_NEAR(second[row], 9000, 300) << row;
  }
  EXPECT_EQ(split_in_halves(2, 1, 1).first.size(), 1u);
  EXPECT_THROW(split_in_halves(1, 1, 1), Error);
}

/// The half width of the interval of `score` over rows 0..n-1, and the p-value of a score as large as that.
struct SplitResult {
  double half_width, p_value;
};
template <class Score>
SplitResult split(std::size_t rows, std::size_t splits, double assumed, Score&& score) {
  std::vector<double> differences;
  for (std::uint64_t index = 0; index < splits; ++index) {
    const Halves halves = split_in_halves(rows, 5, index);
    differences.push_back(score(halves.first) - score(halves.second));
  }
  const Interval interval = split_interval(1, differences, rows, rows / 2);
  EXPECT_NEAR((interval.high + interval.low) / 2, 1, 1e-12);
  return {(interval.high - interval.low) / 2, split_p_value(assumed, differences, rows, rows / 2)};
}

TEST(Splits, RecoverTheStandardErrorOfAMean) {
  RandomStream stream(53, 0);
  for (const std::size_t rows : {400u, 401u}) {
    const auto values = random_values(stream, rows, 0);
    const auto count = static_cast<double>(rows);
    double mean = 0, squares = 0;
    for (const double value : values) mean += value / count;
    for (const double value : values) squares += (value - mean) * (value - mean);
    const double expected = 1.96 * std::sqrt(squares / (count - 1) / count);
    const SplitResult found = split(rows, 4000, expected, [&](std::span<const std::uint32_t> half) {
      double sum = 0;
      for (const auto row : half) sum += values[row];
      return sum / static_cast<double>(half.size());
    });
    EXPECT_NEAR(found.half_width, expected, 0.08 * expected);
    EXPECT_NEAR(found.p_value, 0.05, 0.02);
  }
}

/// The mean distance to the nearest other row depends on rows in small groups, not one by one: of it the
/// spread of halves around their mean is 1.18 times too large.
TEST(Splits, RecoverTheStandardErrorOfANearestNeighbourScore) {
  constexpr std::size_t kRows = 200, kSets = 400, kEvery = 20;
  double mean = 0, squares = 0, half_width = 0;
  std::vector<double> scores;
  for (std::uint64_t set = 0; set < kSets; ++set) {
    RandomStream stream(54, set);
    const auto values = random_values(stream, kRows, 0);
    const auto score = [&](std::span<const std::uint32_t> rows) {
      std::vector<double> line;
      for (const auto row : rows) line.push_back(values[row]);
      std::sort(line.begin(), line.end());
      double sum = 0;
      for (std::size_t i = 0; i < line.size(); ++i) {
        const double left = i > 0 ? line[i] - line[i - 1] : 1e9;
        const double right = i + 1 < line.size() ? line[i + 1] - line[i] : 1e9;
        sum += std::log(std::min(left, right) * static_cast<double>(line.size()));
      }
      return sum / static_cast<double>(line.size());
    };
    std::vector<std::uint32_t> all(kRows);
    std::iota(all.begin(), all.end(), 0u);
    scores.push_back(score(all));
    if (set % kEvery == 0) half_width += split(kRows, 200, 0, score).half_width * kEvery / kSets;
  }
  for (const double score : scores) mean += score / kSets;
  for (const double score : scores) squares += (score - mean) * (score - mean);
  EXPECT_NEAR(half_width / (1.96 * std::sqrt(squares / (kSets - 1))), 1, 0.12);
}

TEST(Splits, ScaleByTheRowsOfAHalf) {
  EXPECT_EQ(split_scale(100, 50), 0.5);
  EXPECT_DOUBLE_EQ(split_scale(8, 1), 0.25);
  EXPECT_THROW(split_scale(100, 51), Error);
  EXPECT_THROW(split_scale(100, 0), Error);
  EXPECT_THROW(split_interval(1, {}, 10, 5), Error);
  const std::vector<double> differences{-0.4, 0.1, 0.2, -0.3};
  EXPECT_DOUBLE_EQ(split_interval(0.9, differences, 100, 50).high, 1.1);  // half of the largest
  EXPECT_DOUBLE_EQ(split_p_value(0.15, differences, 100, 50), 3.0 / 5);
  const std::vector<double> none{0, 0, 0};  // halves at the score's limit, all rows just below: no evidence
  EXPECT_EQ(split_p_value(0.001, none, 100, 50), 1);
}

TEST(Splits, IntervalsOfSharesStayBetween0And1) {
  for (const double score : {0.0, 0.001, 0.3, 0.999, 1.0}) {
    for (const double difference : {0.0, 0.02, 0.4, 3.0}) {
      const std::vector<double> differences(50, difference);
      const Interval share = split_interval(score, differences, 100, 50, Scale::share);
      EXPECT_GE(share.low, 0);
      EXPECT_LE(share.high, 1);
      EXPECT_LE(share.low, score + 1e-15);
      EXPECT_GE(share.high, score - 1e-15);
      EXPECT_GE(split_interval(score, differences, 100, 50, Scale::amount).low, 0);
    }
  }
}

TEST(Splits, ScalesHaveAnInverse) {
  for (double score = 0; score <= 1; score += 0.01) {
    for (const Scale scale : {Scale::plain, Scale::share, Scale::amount})
      EXPECT_NEAR(from_scale(on_scale(score, scale), scale), score, 1e-14);
  }
  EXPECT_EQ(from_scale(-7, Scale::share), 0);
  EXPECT_EQ(from_scale(7, Scale::share), 1);
}

// Far from the limits the scale is a straight line: the interval is that of the score itself.
TEST(Splits, AScaleChangesNothingInTheMiddle) {
  std::vector<double> plain, scaled;
  for (int i = 1; i <= 100; ++i) {
    const double first = 0.5 + 1e-4 * i, second = 0.5 - 1e-4 * i;
    plain.push_back(first - second);
    scaled.push_back(on_scale(first, Scale::share) - on_scale(second, Scale::share));
  }
  const Interval expected = split_interval(0.5, plain, 200, 100);
  const Interval found = split_interval(0.5, scaled, 200, 100, Scale::share);
  EXPECT_NEAR(found.low, expected.low, 1e-5);
  EXPECT_NEAR(found.high, expected.high, 1e-5);
}

}  // namespace
}  // namespace markeval::meta
