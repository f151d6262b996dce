#include "meta/metric_significance.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "meta/support.hpp"

namespace markeval::meta {
namespace {

/// Gold scores in `groups` groups, and metrics that follow them more or less closely, with ties.
ScoreTable random_table(std::uint64_t seed, std::size_t rows, std::size_t columns, std::size_t groups) {
  RandomStream stream(seed, 0);
  ScoreTable table;
  for (std::size_t row = 0; row < rows; ++row) {
    table.gold.emplace_back(std::round(stream.normal() * 10));
    if (groups > 1) table.group.push_back(std::string(1, 'g').append(std::to_string(row % groups)));
  }
  for (std::size_t c = 0; c < columns; ++c) {
    Values values;
    for (std::size_t row = 0; row < rows; ++row) {
      values.emplace_back(std::round(*table.gold[row] + 20 * stream.normal() * static_cast<double>(c + 1)) /
                          4);
    }
    table.predicted.push_back({std::string(1, 'm').append(std::to_string(c)), std::move(values)});
  }
  return table;
}

std::optional<double> mean_of(const ScoreTable& table, const RowGroups& groups,
                              const std::vector<double>& predicted, const std::vector<std::uint32_t>* drawn,
                              Coefficient coefficient) {
  std::vector<Pairs> pairs;
  for (const auto& rows : groups.rows) {
    Pairs& group = pairs.emplace_back();
    for (const std::uint32_t row : rows) {
      const std::uint32_t from = drawn != nullptr ? (*drawn)[row] : row;
      group.gold.push_back(*table.gold[from]);
      group.predicted.push_back(predicted[from]);
    }
  }
  return grouped_coefficient(coefficient, pairs).mean;
}

std::vector<double> plain(const Values& values) {
  std::vector<double> result;
  for (const auto& value : values) result.push_back(*value);
  return result;
}

class MetricTests : public ::testing::Test {
 protected:
  ThreadPool pool_{2};
  RunContext context_{pool_};
  MetricTestOptions options_{300, 99, 0.95, Correction::holm, {}};

  std::vector<MetricDifference> run(const ScoreTable& table, Coefficient coefficient, MetricTest test) {
    return compare_metrics(table, coefficient, test, options_, context_);
  }
};

/// PERM-BOTH by its definition, one resample after the other.
double permutation_p_value(const ScoreTable& table, Coefficient coefficient,
                           const MetricTestOptions& options) {
  const RowGroups groups = rows_by_group(table);
  const auto a = z_scores(plain(table.predicted[0].values)), b = z_scores(plain(table.predicted[1].values));
  const auto delta = [&](const std::vector<double>& x, const std::vector<double>& y) {
    return *mean_of(table, groups, x, nullptr, coefficient) -
           *mean_of(table, groups, y, nullptr, coefficient);
  };
  const double observed = delta(a, b);
  int hits = 0;
  for (std::size_t index = 0; index < options.resamples; ++index) {
    RandomStream stream(options.seed, index);
    auto x = a, y = b;
    std::uint64_t word = 0;
    for (std::size_t row = 0; row < a.size(); ++row) {
      if (row % 64 == 0) word = stream.next();
      if (((word >> (row % 64)) & 1) != 0) std::swap(x[row], y[row]);
    }
    hits += std::fabs(delta(x, y)) >= std::fabs(observed) - 1e-12 ? 1 : 0;
  }
  return (hits + 1.0) / (static_cast<double>(options.resamples) + 1);
}

TEST_F(MetricTests, PermBothFollowsItsDefinitionForEveryCoefficient) {
  for (const std::size_t groups : {1u, 3u}) {
    const ScoreTable table = random_table(20 + groups, 90, 2, groups);
    for (const std::string& text : coefficient_names()) {
      const Coefficient coefficient = coefficient_named(text);
      const auto results = run(table, coefficient, MetricTest::perm_both);
      ASSERT_EQ(results.size(), 1u);
      EXPECT_EQ(*results[0].p_value, permutation_p_value(table, coefficient, options_))
          << text << ' ' << groups;
      EXPECT_EQ(results[0].resamples, 300u);
      EXPECT_EQ(results[0].group, groups > 1 ? "mean" : "all");
    }
  }
}

TEST_F(MetricTests, BootstrapFollowsItsDefinitionForEveryCoefficient) {
  const ScoreTable table = random_table(31, 60, 2, 3);
  const RowGroups groups = rows_by_group(table);
  const auto a = plain(table.predicted[0].values), b = plain(table.predicted[1].values);
  for (const std::string& text : coefficient_names()) {
    const Coefficient coefficient = coefficient_named(text);
    std::vector<double> differences;
    for (std::size_t index = 0; index < options_.resamples; ++index) {
      RandomStream stream(options_.seed, index);
      std::vector<std::uint32_t> drawn(60);
      for (const auto& rows : groups.rows) {
        for (const std::uint32_t row : rows) drawn[row] = rows[stream.below(rows.size())];
      }
      differences.push_back(*mean_of(table, groups, a, &drawn, coefficient) -
                            *mean_of(table, groups, b, &drawn, coefficient));
    }
    std::sort(differences.begin(), differences.end());
    const auto results = run(table, coefficient, MetricTest::bootstrap);
    EXPECT_NEAR(results[0].interval->low, differences[7], 1e-12) << text;
    EXPECT_NEAR(results[0].interval->high, differences[292], 1e-12) << text;
    const auto not_above =
        std::count_if(differences.begin(), differences.end(), [](double d) { return d <= 1e-12; });
    EXPECT_EQ(*results[0].p_greater, (static_cast<double>(not_above) + 1) / 301) << text;
  }
}

TEST_F(MetricTests, GiveTheSameBitsForAnyNumberOfThreads) {
  const ScoreTable table = random_table(32, 70, 4, 2);
  ThreadPool one(1), four(4);
  for (const MetricTest test : {MetricTest::perm_both, MetricTest::bootstrap}) {
    for (const Coefficient coefficient :
         {Coefficient::pearson, Coefficient::spearman, Coefficient::kendall}) {
      const auto first = compare_metrics(table, coefficient, test, options_, RunContext{one});
      const auto second = compare_metrics(table, coefficient, test, options_, RunContext{four});
      for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT_EQ(first[i].p_value, second[i].p_value);
        EXPECT_EQ(first[i].difference, second[i].difference);
        EXPECT_EQ(first[i].interval.has_value(), test == MetricTest::bootstrap);
        if (!first[i].interval) continue;
        EXPECT_EQ(first[i].interval->low, second[i].interval->low);
        EXPECT_EQ(first[i].interval->high, second[i].interval->high);
      }
    }
  }
}

TEST_F(MetricTests, OfAPairDoNotDependOnTheOtherColumns) {
  const ScoreTable four = random_table(33, 70, 4, 2);
  ScoreTable two = four;
  two.predicted = {four.predicted[1], four.predicted[3]};
  for (const MetricTest test : {MetricTest::perm_both, MetricTest::bootstrap, MetricTest::williams}) {
    for (const auto& result : run(four, Coefficient::pearson, test)) {
      if (result.first != 1 || result.second != 3) continue;
      for (const auto& alone : run(two, Coefficient::pearson, test)) {
        if (alone.group != result.group) continue;
        EXPECT_EQ(result.p_value, alone.p_value);
      }
    }
  }
}

TEST_F(MetricTests, UseTheRowsCompleteForThePair) {
  ScoreTable table = random_table(34, 80, 3, 1);
  table.predicted[0].values[5] = std::nullopt;
  table.predicted[1].values[6] = std::nullopt;
  table.gold[7] = std::nullopt;
  const auto results = run(table, Coefficient::pearson, MetricTest::perm_both);
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].n, 77u);
  EXPECT_EQ(results[1].n, 78u);
  EXPECT_EQ(results[2].n, 78u);
}

TEST_F(MetricTests, SeparateAGoodMetricFromNoise) {
  ScoreTable table = random_table(35, 400, 1, 1);
  RandomStream stream(36, 0);
  Values noise;
  for (std::size_t row = 0; row < 400; ++row) noise.emplace_back(stream.normal());
  table.predicted.push_back({"noise", std::move(noise)});
  for (const MetricTest test : {MetricTest::perm_both, MetricTest::bootstrap, MetricTest::williams}) {
    const auto result = run(table, Coefficient::pearson, test)[0];
    EXPECT_LT(*result.p_value, 0.02) << name(test);
    EXPECT_LT(*result.p_greater, 0.02) << name(test);
    EXPECT_GT(*result.difference, 0.2) << name(test);
  }
}

TEST_F(MetricTests, FindNoDifferenceBetweenAMetricAndItsCopy) {
  ScoreTable table = random_table(37, 50, 1, 1);
  table.predicted.push_back({"copy", table.predicted[0].values});
  for (auto& value : table.predicted[1].values) value = *value * 2 + 1;
  for (const Coefficient coefficient : {Coefficient::pearson, Coefficient::spearman}) {
    const auto result = run(table, coefficient, MetricTest::perm_both)[0];
    EXPECT_EQ(*result.p_value, 1);
    EXPECT_NEAR(*result.difference, 0, 1e-15);
    EXPECT_EQ(*run(table, coefficient, MetricTest::bootstrap)[0].p_value, 1);
  }
}

TEST_F(MetricTests, HaveNoValueForAConstantColumn) {
  ScoreTable table = random_table(38, 30, 1, 1);
  table.predicted.push_back({"constant", Values(30, 0.1)});
  for (const MetricTest test : {MetricTest::perm_both, MetricTest::bootstrap, MetricTest::williams}) {
    for (const Coefficient coefficient : {Coefficient::pearson, Coefficient::spearman}) {
      const auto result = run(table, coefficient, test)[0];
      EXPECT_EQ(result.difference, std::nullopt);
      EXPECT_EQ(result.p_value, std::nullopt);
      EXPECT_EQ(result.p_adjusted, std::nullopt);
    }
  }
}

TEST_F(MetricTests, AdjustForTheNumberOfPairs) {
  const auto results = run(random_table(39, 60, 4, 1), Coefficient::pearson, MetricTest::williams);
  ASSERT_EQ(results.size(), 6u);
  std::vector<std::optional<double>> p;
  for (const auto& result : results) p.push_back(result.p_value);
  const auto adjusted = adjust(p, Correction::holm);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(results[i].p_adjusted, adjusted[i]);
}

TEST_F(MetricTests, WilliamsTestsEveryGroup) {
  const auto results = run(random_table(40, 60, 3, 2), Coefficient::pearson, MetricTest::williams);
  ASSERT_EQ(results.size(), 6u);
  EXPECT_EQ(results[0].group, "g0");
  EXPECT_EQ(results[0].n, 30u);
  EXPECT_EQ(results[5].group, "g1");
}

TEST_F(MetricTests, SayWhatTheyCannotDo) {
  const ScoreTable one = random_table(41, 20, 1, 1), two = random_table(41, 20, 2, 1);
  EXPECT_THROW(run(one, Coefficient::pearson, MetricTest::perm_both), Error);
  try {
    run(two, Coefficient::kendall, MetricTest::williams);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_STREQ(error.what(), "Williams' test is for pearson (or spearman), not for kendall; use perm-both");
  }
  options_.coefficient.tie_threshold = 0.5;
  EXPECT_THROW(run(two, Coefficient::accuracy, MetricTest::perm_both), Error);
  EXPECT_EQ(run(two, Coefficient::accuracy, MetricTest::bootstrap)[0].resamples, 300u);
  options_.resamples = 0;
  EXPECT_THROW(run(two, Coefficient::pearson, MetricTest::bootstrap), Error);
  try {
    metric_test_named("perm-boht");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "unknown test 'perm-boht'; did you mean 'perm-both'?");
  }
}

TEST_F(MetricTests, StopOnRequest) {
  const std::atomic<bool> cancel{true};
  const ScoreTable table = random_table(42, 20, 2, 1);
  try {
    compare_metrics(table, Coefficient::pearson, MetricTest::perm_both, options_,
                    RunContext{pool_, nullptr, nullptr, &cancel});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
}

}  // namespace
}  // namespace markeval::meta
