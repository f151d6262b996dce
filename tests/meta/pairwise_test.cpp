#include <gmock/gmock.h>

#include <set>

#include "base/error.hpp"
#include "meta/kendall_like.hpp"
#include "meta/pairwise_accuracy.hpp"
#include "meta/soft_accuracy_table.hpp"
#include "meta/soft_pairwise_accuracy.hpp"
#include "meta/support.hpp"

namespace markeval::meta {
namespace {

TEST(KendallLike, AgreesWithLookingAtEveryPair) {
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    RandomStream stream(5, trial);
    const std::size_t rows = stream.below(60);
    const auto gold = random_values(stream, rows, 1 + stream.below(300)),
               predicted = random_values(stream, rows, stream.below(12));
    for (const double threshold : {0.0, 0.125, 5.0, 25.0}) {
      BetterWorseCounts expected;
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = i + 1; j < rows; ++j) {
          const double g = gold[i] - gold[j], p = predicted[i] - predicted[j];
          if (std::fabs(g) < threshold) continue;
          ++(g * p > 0 ? expected.concordant : expected.discordant);
        }
      }
      const BetterWorseCounts ours = count_better_worse_rows(gold, predicted, threshold);
      EXPECT_EQ(ours.concordant, expected.concordant) << trial << ' ' << threshold;
      EXPECT_EQ(ours.discordant, expected.discordant) << trial << ' ' << threshold;
    }
  }
}

TEST(KendallLike, CountsATieOfTheMetricAgainstIt) {
  const std::vector<double> gold{90, 10, 50}, predicted{0.7, 0.7, 0.1};
  // 90 > 10: tied; 90 > 50: right; 50 > 10: wrong.
  const auto counts = count_better_worse_rows(gold, predicted);
  EXPECT_EQ(counts.concordant, 1u);
  EXPECT_EQ(counts.discordant, 2u);
  EXPECT_DOUBLE_EQ(*counts.coefficient(), -1.0 / 3);
}

TEST(KendallLike, IsAbsentWithoutJudgedPairs) {
  const std::vector<double> gold{50, 60}, predicted{1, 2};
  EXPECT_EQ(count_better_worse_rows(gold, predicted).coefficient(), std::nullopt);
  EXPECT_THROW(count_better_worse_rows(gold, predicted, -1), Error);
}

TEST(KendallLike, TakesJudgedPairsOneByOne) {
  const std::vector<double> better{0.9, 0.5, 0.4, 0.2}, worse{0.1, 0.5, 0.3, 0.1};
  EXPECT_DOUBLE_EQ(*count_better_worse(better, worse).coefficient(), 0.5);
  EXPECT_THROW(count_better_worse(better, std::vector<double>{1}), Error);
}

/// Every threshold tried by looking at every pair: the definition.
CalibratedAccuracy calibrate_by_brute_force(const std::vector<Pairs>& groups) {
  std::set<double> thresholds{0};
  for (const Pairs& group : groups) {
    for (const double a : group.predicted) {
      for (const double b : group.predicted) thresholds.insert(std::fabs(a - b));
    }
  }
  CalibratedAccuracy best;
  for (const double threshold : thresholds) {
    double sum = 0, count = 0;
    for (const Pairs& group : groups) {
      if (group.size() < 2) continue;
      const PairCounts counts = brute_force_pairs(group.gold, group.predicted, threshold);
      sum += static_cast<double>(counts.concordant + counts.tied_both) / static_cast<double>(counts.pairs());
      ++count;
    }
    if (count > 0 && (!best.mean || sum / count > *best.mean + 1e-12)) {
      best.mean = sum / count;
      best.tie_threshold = threshold;
    }
  }
  return best;
}

TEST(PairwiseAccuracy, CalibratesToTheBestThresholdThereIs) {
  for (std::uint64_t trial = 0; trial < 60; ++trial) {
    RandomStream stream(6, trial);
    std::vector<Pairs> groups(1 + stream.below(4));
    for (Pairs& group : groups) {
      const std::size_t rows = stream.below(14);
      group.gold = random_values(stream, rows, 1 + stream.below(5));
      group.predicted = random_values(stream, rows, stream.below(30));
    }
    const CalibratedAccuracy ours = calibrate_accuracy(groups), expected = calibrate_by_brute_force(groups);
    ASSERT_EQ(ours.mean.has_value(), expected.mean.has_value());
    if (!expected.mean) continue;
    EXPECT_NEAR(*ours.mean, *expected.mean, 1e-12) << trial;
    EXPECT_EQ(ours.tie_threshold, expected.tie_threshold) << trial;
  }
}

TEST(PairwiseAccuracy, CreditsTiesBothAgreeOn) {
  EXPECT_DOUBLE_EQ(*pairwise_accuracy({3, 1, 1, 1, 2}), 5.0 / 8);
  EXPECT_EQ(pairwise_accuracy({}), std::nullopt);
}

TEST(PairwiseAccuracy, MakesTiesOfValuesAtMostTheThresholdApart) {
  for (std::uint64_t trial = 0; trial < 50; ++trial) {
    RandomStream stream(7, trial);
    const auto gold = random_values(stream, 25, 5), predicted = random_values(stream, 25, 40);
    for (const double threshold : {0.0, 0.125, 1.0, 100.0}) {
      EXPECT_EQ(count_pairs_with_threshold(gold, predicted, threshold),
                brute_force_pairs(gold, predicted, threshold));
    }
  }
}

TEST(PairwiseAccuracy, RefusesMorePairsThanItCanHold) {
  const Pairs large{std::vector<double>(20'000), std::vector<double>(20'000), 0};
  EXPECT_THROW(calibrate_accuracy({&large, 1}), Error);
}

class SoftAccuracy : public ::testing::Test {
 protected:
  ThreadPool pool_{1};
  RunContext context_{pool_};
};

TEST_F(SoftAccuracy, IsOneWhereTheMetricEqualsThePeople) {
  RandomStream stream(8, 0);
  const auto scores = random_values(stream, 4 * 30, 0);
  const MatrixView<const double> view(scores.data(), 4, 30);
  EXPECT_EQ(soft_pairwise_accuracy(view, view, {}, context_), 1.0);
}

TEST_F(SoftAccuracy, EstimatesTheExactPermutationProbability) {
  // Every one of the 2^10 exchanges, enumerated.
  RandomStream stream(9, 0);
  const auto scores = random_values(stream, 2 * 10, 30);
  double real = 0;
  for (std::size_t i = 0; i < 10; ++i) real += scores[i] - scores[10 + i];
  int hits = 0;
  for (unsigned mask = 0; mask < 1024; ++mask) {
    double sum = 0;
    for (std::size_t i = 0; i < 10; ++i)
      sum += ((mask >> i) & 1) != 0 ? scores[i] - scores[10 + i] : scores[10 + i] - scores[i];
    hits += sum >= real ? 1 : 0;
  }
  const auto p = pairwise_p_values({scores.data(), 2, 10}, {40'000, 1}, context_);
  ASSERT_EQ(p.size(), 1u);
  EXPECT_NEAR(p[0], hits / 1024.0, 0.01);
}

TEST_F(SoftAccuracy, GivesTheSameBitsForAnyNumberOfThreads) {
  RandomStream stream(10, 0);
  const auto gold = random_values(stream, 6 * 50, 5), metric = random_values(stream, 6 * 50, 0);
  ThreadPool three(3);
  const MatrixView<const double> g(gold.data(), 6, 50), m(metric.data(), 6, 50);
  EXPECT_EQ(soft_pairwise_accuracy(g, m, {}, context_), soft_pairwise_accuracy(g, m, {}, RunContext{three}));
}

TEST_F(SoftAccuracy, IsAbsentForOneSystemAndRefusesOtherShapes) {
  const std::vector<double> scores(12);
  const MatrixView<const double> one(scores.data(), 1, 12), three(scores.data(), 3, 4),
      four(scores.data(), 4, 3);
  EXPECT_EQ(soft_pairwise_accuracy(one, one, {}, context_), std::nullopt);
  EXPECT_THROW(soft_pairwise_accuracy(three, four, {}, context_), Error);
}

/// Rows of 3 systems and 20 segments in two groups, shuffled.
ScoreTable table_of_systems() {
  ScoreTable table;
  table.predicted.push_back({"metric", {}});
  for (const std::uint32_t cell : RandomStream(12, 0).permutation(120)) {
    const std::uint32_t system = cell % 3, segment = cell / 3 % 20, group = cell / 60;
    RandomStream stream(13, cell);
    table.gold.emplace_back(stream.normal() + 0.2 * system);
    table.predicted[0].values.emplace_back(stream.normal() + 0.1 * system);
    table.system.push_back(std::string(1, static_cast<char>('a' + system)));
    table.segment.push_back(std::to_string(segment));
    table.group.push_back(group == 0 ? "de" : "fi");
  }
  return table;
}

TEST_F(SoftAccuracy, OfATableIsThatOfItsMatrices) {
  const ScoreTable table = table_of_systems();
  const auto result = soft_accuracy(table, {}, context_)[0];
  ASSERT_EQ(result.values.groups.size(), 2u);
  EXPECT_DOUBLE_EQ(*result.values.mean, (*result.values.groups[0] + *result.values.groups[1]) / 2);
  EXPECT_EQ(result.segments_left_out, 0u);
  // One group alone, laid out here by order of appearance.
  std::vector<std::string> systems, segments;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.group[row] != table.group[0]) continue;
    if (std::find(systems.begin(), systems.end(), table.system[row]) == systems.end())
      systems.push_back(table.system[row]);
    if (std::find(segments.begin(), segments.end(), table.segment[row]) == segments.end())
      segments.push_back(table.segment[row]);
  }
  std::vector<double> gold(60), metric(60);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.group[row] != table.group[0]) continue;
    const auto system = std::find(systems.begin(), systems.end(), table.system[row]) - systems.begin();
    const auto segment = std::find(segments.begin(), segments.end(), table.segment[row]) - segments.begin();
    gold[static_cast<std::size_t>(system * 20 + segment)] = *table.gold[row];
    metric[static_cast<std::size_t>(system * 20 + segment)] = *table.predicted[0].values[row];
  }
  EXPECT_EQ(result.values.groups[0],
            soft_pairwise_accuracy({gold.data(), 3, 20}, {metric.data(), 3, 20}, {}, context_));
}

TEST_F(SoftAccuracy, LeavesSegmentsOutThatOneSystemLacks) {
  ScoreTable table = table_of_systems();
  table.predicted[0].values[5] = std::nullopt;
  table.gold[6] = std::nullopt;
  EXPECT_EQ(soft_accuracy(table, {}, context_)[0].segments_left_out, 2u);
  table.segment[8] = table.segment[7];
  table.system[8] = table.system[7];
  table.group[8] = table.group[7];
  EXPECT_THROW(soft_accuracy(table, {}, context_), Error);
  table.segment.clear();
  EXPECT_THROW(soft_accuracy(table, {}, context_), Error);
}

}  // namespace
}  // namespace markeval::meta
