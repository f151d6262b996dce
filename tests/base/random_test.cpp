#include "base/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace markeval {
namespace {

TEST(RandomStream, DependsOnSeedAndIndexAlone) {
  RandomStream a(12345, 7), b(12345, 7);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(), b.next());
}

TEST(RandomStream, GivesEverySeedAndIndexItsOwnNumbers) {
  std::set<std::uint64_t> first;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (std::uint64_t index = 0; index < 100; ++index) first.insert(RandomStream(seed, index).next());
  }
  EXPECT_EQ(first.size(), 10'000u);
}

TEST(RandomStream, BelowIsUniformAndInRange) {
  RandomStream stream(1, 0);
  std::vector<int> counts(7);
  for (int i = 0; i < 70'000; ++i) ++counts.at(stream.below(7));
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
}

TEST(RandomStream, NormalHasMeanZeroAndVarianceOne) {
  RandomStream stream(1, 0);
  double sum = 0, squares = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double x = stream.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / 100'000, 0, 0.02);
  EXPECT_NEAR(squares / 100'000, 1, 0.02);
}

TEST(RandomStream, PermutationHoldsEveryIndexOnce) {
  auto order = RandomStream(3, 3).permutation(1000);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(order[i], i);
}

}  // namespace
}  // namespace markeval
