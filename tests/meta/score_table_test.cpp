#include "meta/score_table.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "meta/correlation.hpp"
#include "meta/kendall.hpp"
#include "meta/support.hpp"

namespace markeval::meta {
namespace {

using ::testing::ElementsAre;

ScoreTable small_table() {
  ScoreTable table;
  table.gold = {1, 2, 3, 4, std::nullopt, 6, 5, 7};
  table.predicted = {{"a", {1, 3, 2, 4, 5, 1, 2, std::nullopt}}, {"b", {1, 1, 1, 1, 1, 3, 2, 1}}};
  table.group = {"x", "x", "x", "x", "x", "y", "y", "y"};
  return table;
}

TEST(Correlate, GivesEveryGroupAndTheirMean) {
  const std::vector<Coefficient> wanted{Coefficient::pearson, Coefficient::kendall};
  const auto rows = correlate(small_table(), wanted);
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[0].predicted, "a");
  EXPECT_EQ(rows[0].group, "x");
  EXPECT_EQ(rows[0].n, 4u);
  EXPECT_EQ(rows[0].missing, 1u);
  EXPECT_NEAR(*rows[0].values[0], 0.8, 1e-15);
  EXPECT_EQ(rows[1].group, "y");
  EXPECT_EQ(rows[1].n, 2u);
  EXPECT_EQ(rows[1].missing, 1u);
  EXPECT_EQ(*rows[1].values[1], -1);
  EXPECT_EQ(rows[2].group, "mean");
  EXPECT_EQ(rows[2].n, 6u);
  EXPECT_NEAR(*rows[2].values[0], (0.8 - 1) / 2, 1e-15);
  EXPECT_THAT(rows[2].averaged, ElementsAre(2, 2));
}

TEST(Correlate, LeavesGroupsWithoutAValueOutOfTheMean) {
  const std::vector<Coefficient> wanted{Coefficient::spearman};
  const auto rows = correlate(small_table(), wanted);
  EXPECT_EQ(rows[3].values[0], std::nullopt);  // b is constant in x
  EXPECT_THAT(rows[5].averaged, ElementsAre(1));
  EXPECT_EQ(rows[5].values[0], rows[4].values[0]);
}

TEST(Correlate, TakesATableWithoutGroupsAsOne) {
  ScoreTable table = small_table();
  table.group.clear();
  const std::vector<Coefficient> wanted{Coefficient::pearson};
  const auto rows = correlate(table, wanted);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].group, "all");
}

TEST(Correlate, WeighsKendallLikeByPairsAndSharesTheTieThreshold) {
  ScoreTable table;
  table.gold = {0, 50, 100, 0, 100};
  table.predicted = {{"m", {0, 1, 2, 5, 4}}};
  table.group = {"a", "a", "a", "b", "b"};
  const std::vector<Coefficient> wanted{Coefficient::kendall_like, Coefficient::accuracy};
  const auto rows = correlate(table, wanted);
  EXPECT_EQ(*rows[0].values[0], 1);
  EXPECT_EQ(*rows[1].values[0], -1);
  EXPECT_DOUBLE_EQ(*rows[2].values[0], (3.0 - 1.0) / 4);
  EXPECT_EQ(rows[0].tie_threshold, rows[2].tie_threshold);
  EXPECT_DOUBLE_EQ(*rows[2].values[1], 0.5);
}

TEST(AverageBySystem, AveragesFirstAndLeavesIncompleteRowsOut) {
  ScoreTable table;
  table.gold = {1, 3, 10, std::nullopt, 7};
  table.predicted = {{"m", {0.5, 0.7, 0.1, 0.9, std::nullopt}}};
  table.system = {"s", "s", "t", "t", "u"};
  const ScoreTable systems = average_by_system(table);
  EXPECT_THAT(systems.system, ElementsAre("s", "t", "u"));
  EXPECT_THAT(systems.gold, ElementsAre(2.0, 10.0, std::nullopt));
  EXPECT_NEAR(*systems.predicted[0].values[0], 0.6, 1e-15);
  EXPECT_EQ(systems.predicted[0].values[1], 0.1);
  EXPECT_EQ(systems.predicted[0].values[2], std::nullopt);
  EXPECT_TRUE(systems.group.empty());
}

TEST(AverageBySystem, KeepsGroupsApart) {
  ScoreTable table;
  table.gold = {1, 3, 5};
  table.predicted = {{"m", {1, 2, 3}}};
  table.system = {"s", "s", "s"};
  table.group = {"de", "fi", "de"};
  const ScoreTable systems = average_by_system(table);
  EXPECT_THAT(systems.group, ElementsAre("de", "fi"));
  EXPECT_THAT(systems.gold, ElementsAre(3.0, 3.0));
  table.system.clear();
  EXPECT_THROW(average_by_system(table), Error);
}

TEST(ScoreTable, RefusesColumnsOfOtherLengthAndValuesThatAreNotFinite) {
  ScoreTable table = small_table();
  table.predicted[1].values.pop_back();
  try {
    validate(table);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "b: 7 values, expected 8");
  }
  table = small_table();
  table.predicted[0].values[2] = std::nan("");
  try {
    validate(table);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "a: value 3 is not a number");
  }
}

TEST(Coefficient, IsFoundByNameOrTheClosestIsNamed) {
  for (const std::string& text : coefficient_names()) EXPECT_EQ(name(coefficient_named(text)), text);
  try {
    coefficient_named("pearsn");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "unknown coefficient 'pearsn'; did you mean 'pearson'?");
  }
}

TEST(Coefficient, OfOneGroupIsTheFunctionOfThatName) {
  RandomStream stream(11, 0);
  const auto x = random_values(stream, 20, 6), y = random_values(stream, 20, 9);
  EXPECT_EQ(evaluate(Coefficient::pearson, x, y), pearson(x, y));
  EXPECT_EQ(evaluate(Coefficient::kendall_c, x, y), kendall_tau_c(x, y));
  CoefficientOptions fixed;
  fixed.tie_threshold = 0;
  EXPECT_LE(*evaluate(Coefficient::accuracy, x, y, fixed), *evaluate(Coefficient::accuracy, x, y));
}

}  // namespace
}  // namespace markeval::meta
