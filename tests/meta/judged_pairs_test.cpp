#include "meta/judged_pairs.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "meta/quantile.hpp"
#include "support/temp_folder.hpp"

namespace markeval::meta {
namespace {

/// Three pairs. The first metric puts 3 before 1, has a tie (2, 2) and puts 5 before 4; the second has all of
/// them right.
struct ThreePairs {
  ThreePairs() {
    table.predicted = {{"first", {3, 1, 2, 2, 5, 4}}, {"second", {9, 1, 8, 2, 7, 3}}};
    table.gold.resize(6);
    pairs.better = {0, 2, 4};
    pairs.worse = {1, 3, 5};
    pairs.segment = {"s1", "s1", "s2"};
  }
  std::vector<CorrelationRow> rows(std::size_t resamples = 0, std::size_t threads = 1) const {
    ThreadPool pool(threads);
    return correlate_pairs(table, pairs, resamples, 7, RunContext{pool});
  }
  ScoreTable table;
  JudgedPairs pairs;
};

TEST(JudgedPairs, CountATieAgainstTheMetric) {
  const std::vector<CorrelationRow> rows = ThreePairs().rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].predicted, "first");
  EXPECT_EQ(rows[0].group, "all");
  EXPECT_EQ(rows[0].n, 3u);
  EXPECT_DOUBLE_EQ(*rows[0].values[0], 1.0 / 3) << "(2 - 1) / 3";
  EXPECT_DOUBLE_EQ(*rows[1].values[0], 1);
}

TEST(JudgedPairs, OfGroupsHaveAMeanThatWeighsGroupsByTheirPairs) {
  ThreePairs given;
  given.pairs.group = {"de", "de", "fi"};
  const std::vector<CorrelationRow> rows = given.rows();
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_DOUBLE_EQ(*rows[0].values[0], 0);
  EXPECT_DOUBLE_EQ(*rows[1].values[0], 1);
  EXPECT_EQ(rows[2].group, "mean");
  EXPECT_DOUBLE_EQ(*rows[2].values[0], 1.0 / 3) << "not 1/2";
}

TEST(JudgedPairs, LeaveOutThoseWithoutAScore) {
  ThreePairs given;
  given.table.predicted[0].values[3] = std::nullopt;
  const CorrelationRow row = given.rows()[0];
  EXPECT_EQ(row.n, 2u);
  EXPECT_EQ(row.missing, 1u);
  EXPECT_DOUBLE_EQ(*row.values[0], 1);
}

TEST(JudgedPairs, AreDrawnBySourceSegment) {
  // s1 twice: 0; s1 and s2: 1/3; s2 twice: 1. Were pairs drawn, one resample in 27 would be -1.
  const CorrelationRow row = ThreePairs().rows(2000)[0];
  EXPECT_DOUBLE_EQ(row.intervals[0]->low, 0);
  EXPECT_DOUBLE_EQ(row.intervals[0]->high, 1);
  const CorrelationRow threads = ThreePairs().rows(2000, 3)[0];
  EXPECT_EQ(threads.intervals[0]->low, row.intervals[0]->low);
}

TEST(JudgedPairs, CompareTwoMetricsByTheSameDraws) {
  const ThreePairs given;
  ThreadPool pool(2);
  MetricTestOptions options;
  options.resamples = 2000;
  const std::vector<MetricDifference> found =
      compare_on_pairs(given.table, given.pairs, options, RunContext{pool});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_DOUBLE_EQ(*found[0].difference, 1.0 / 3 - 1);
  // A quarter of the resamples are s2 twice, where both metrics are right.
  EXPECT_NEAR(*found[0].p_value, 0.5, 0.05);
  EXPECT_DOUBLE_EQ(found[0].interval->low, -1);
  EXPECT_DOUBLE_EQ(found[0].interval->high, 0);
}

TEST(JudgedPairs, MustNameRowsThatAreThere) {
  ThreePairs given;
  given.pairs.worse[1] = 6;
  EXPECT_ERROR(given.rows(), ErrorCode::invalid_input, "names a row the table has not got");
  given.pairs = {};
  EXPECT_ERROR(given.rows(), ErrorCode::invalid_input, "no better/worse pair");
}

TEST(Quantile, IsLinearBetweenOrderStatistics) {
  const std::vector<double> sorted = {1, 2, 4};
  EXPECT_EQ(quantile(sorted, 0), 1);
  EXPECT_EQ(quantile(sorted, 0.5), 2);
  EXPECT_EQ(quantile(sorted, 0.75), 3);
  EXPECT_EQ(quantile(sorted, 1), 4);
  const Interval middle = middle_of({4, 1, 2}, 0.25);
  EXPECT_EQ(middle.low, 1.5);
  EXPECT_EQ(middle.high, 3);
}

}  // namespace
}  // namespace markeval::meta
