#include "encoder/batches.hpp"

#include <gtest/gtest.h>

namespace markeval::encoder {
namespace {

using Plan = std::vector<std::vector<std::size_t>>;

TEST(PlanBatches, PutsTheLongestFirstAndCutsByTokens) {
  EXPECT_EQ(plan_batches(std::vector<std::size_t>{3, 9, 5}, 10), (Plan{{1}, {2, 0}}));
}

TEST(PlanBatches, KeepsTheOrderOfEqualLengths) {
  EXPECT_EQ(plan_batches(std::vector<std::size_t>{4, 4, 4}, 8), (Plan{{0, 1}, {2}}));
}

TEST(PlanBatches, GivesALongSequenceABatchOfItsOwn) {
  EXPECT_EQ(plan_batches(std::vector<std::size_t>{2, 50, 3}, 10), (Plan{{1}, {2, 0}}));
  EXPECT_TRUE(plan_batches({}, 10).empty());
}

}  // namespace
}  // namespace markeval::encoder
