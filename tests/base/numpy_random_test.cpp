// Expected values: numpy 2.4.6, numpy.random.default_rng.
#include "base/numpy_random.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace markeval {
namespace {

TEST(NumpyGenerator, GivesNumpysRawBits) {
  NumpyGenerator generator(12345);
  EXPECT_EQ(generator.next_64(), 0x3a32b18db2ffc19dull);
  EXPECT_EQ(generator.next_64(), 0x51171315c9e4c4deull);
  EXPECT_EQ(generator.next_64(), 0xcc2024823444efd9ull);
}

TEST(NumpyGenerator, DrawsNumpysBoundedIntegers) {
  NumpyGenerator generator(12345);
  std::vector<std::uint32_t> drawn(8);
  generator.integers_below(3004, drawn);
  EXPECT_EQ(drawn, (std::vector<std::uint32_t>{2100, 682, 2369, 951, 613, 2395, 1930, 2031}));
}

TEST(NumpyGenerator, RejectsLikeNumpyWhereTheBoundIsLargeAndSeedsWithTwoWords) {
  NumpyGenerator generator((std::uint64_t{1} << 40) + 7);
  std::vector<std::uint32_t> drawn(6);
  generator.integers_below(3'000'000'000u, drawn);
  EXPECT_EQ(drawn, (std::vector<std::uint32_t>{2489438675u, 1828512392u, 765915474u, 51031264u, 461372147u,
                                               1514132298u}));
}

TEST(NumpyGenerator, DrawsNumpysBooleansAndGoesOn) {
  NumpyGenerator generator(12345);
  NumpyGenerator::Booleans booleans(generator);
  const int expected[] = {1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1,
                          1, 1, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 0, 0, 1};
  for (const int bit : expected) EXPECT_EQ(booleans.next(), bit == 1);
  std::vector<std::uint32_t> drawn(4);
  generator.integers_below(10, drawn);
  EXPECT_EQ(drawn, (std::vector<std::uint32_t>{7, 3, 2, 7}));
}

TEST(NumpyGenerator, DrawsNothingWhereThereIsNoChoice) {
  NumpyGenerator generator(12345);
  std::vector<std::uint32_t> drawn(5, 9);
  generator.integers_below(1, drawn);
  EXPECT_EQ(drawn, std::vector<std::uint32_t>(5, 0));
  EXPECT_EQ(generator.next_64(), 0x3a32b18db2ffc19dull);
}

}  // namespace
}  // namespace markeval
