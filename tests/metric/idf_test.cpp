#include "metric/idf.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace markeval::metric {
namespace {

TEST(Idf, CountsATokenOncePerText) {
  IdfTable table;
  const std::int32_t first[] = {1, 5, 5, 2};
  const std::int32_t second[] = {1, 7, 2};
  table.add(first);
  table.add(second);
  EXPECT_EQ(table.texts(), 2u);
  EXPECT_DOUBLE_EQ(table.weight(1), 0);
  EXPECT_DOUBLE_EQ(table.weight(5), std::log(3.0 / 2));
  EXPECT_DOUBLE_EQ(table.weight(7), std::log(3.0 / 2));
}

TEST(Idf, OfPartsIsThatOfAllTexts) {
  const std::vector<std::vector<std::int32_t>> texts{{1, 5, 5, 2}, {1, 7, 2}, {9}, {1, 2, 9}};
  IdfTable all, first, second;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    all.add(texts[i]);
    (i < 2 ? first : second).add(texts[i]);
  }
  const std::span<const std::uint32_t> counts = second.texts_with();
  first.merge(IdfTable({counts.begin(), counts.end()}, second.texts()));
  EXPECT_EQ(first.texts(), all.texts());
  EXPECT_FALSE(first.given());
  for (std::int32_t id = 0; id < 12; ++id) EXPECT_EQ(first.weight(id), all.weight(id)) << id;
}

TEST(Idf, GivesUnseenTokensTheLargestWeight) {
  IdfTable table;
  const std::int32_t ids[] = {1};
  table.add(ids);
  EXPECT_DOUBLE_EQ(table.weight(0), std::log(2.0));
  EXPECT_DOUBLE_EQ(table.weight(100000), std::log(2.0));
}

TEST(Idf, OfOneTextIsZeroForAllItsTokens) {
  IdfTable table;
  const std::int32_t ids[] = {3, 4};
  table.add(ids);
  EXPECT_EQ(table.weight(3), 0);
  EXPECT_EQ(table.weight(4), 0);
}

TEST(Idf, SaysNothingWhereEveryTextHasTheSameTokens) {
  IdfTable table;
  const std::int32_t one[] = {3, 4};
  const std::int32_t turned[] = {4, 3, 3};
  const std::int32_t other[] = {4, 5};
  table.add(one);
  table.add(turned);
  EXPECT_TRUE(table.says_nothing());
  table.add(other);
  EXPECT_FALSE(table.says_nothing());
}

TEST(Idf, GivenWeightsStandAndOthersHaveTheirOwn) {
  const std::vector<std::pair<std::int32_t, double>> weights{{3, 0.5}, {7, 0}};
  const IdfTable table(weights, 2);
  EXPECT_TRUE(table.given());
  EXPECT_FALSE(table.says_nothing());
  EXPECT_EQ(table.weight(3), 0.5);
  EXPECT_EQ(table.weight(7), 0);
  EXPECT_EQ(table.weight(4), 2);
}

}  // namespace
}  // namespace markeval::metric
