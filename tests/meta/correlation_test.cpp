#include "meta/correlation.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "base/error.hpp"
#include "meta/kendall.hpp"
#include "meta/support.hpp"
#include "meta/values.hpp"

namespace markeval::meta {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

void expect_value(const std::optional<double>& ours, const std::string& golden, const std::string& what) {
  const std::optional<double> expected = maybe_number(golden);
  ASSERT_EQ(ours.has_value(), expected.has_value()) << what;
  if (expected) {
    EXPECT_NEAR(*ours, *expected, 1e-12) << what;
  }
}

TEST(Correlation, AgreesWithScipyOnRandomDataWithTies) {
  int row_number = 0;
  for (const auto& row : golden_rows("correlations")) {
    ASSERT_EQ(row.size(), 6u);
    const auto gold = numbers(row[0]), predicted = numbers(row[1]);
    const std::string where = " of golden row " + std::to_string(++row_number);
    expect_value(pearson(gold, predicted), row[2], "pearson" + where);
    expect_value(spearman(gold, predicted), row[3], "spearman" + where);
    expect_value(kendall_tau_b(gold, predicted), row[4], "tau-b" + where);
    expect_value(kendall_tau_c(gold, predicted), row[5], "tau-c" + where);
  }
}

TEST(Correlation, IsAbsentForConstantsAndFewerThanTwoRows) {
  const std::vector<double> constant(5, 0.1), rising{1, 2, 3, 4, 5}, one{1}, none;
  for (auto* const function : {&pearson, &spearman}) {
    EXPECT_EQ((*function)(constant, rising), std::nullopt);
    EXPECT_EQ((*function)(rising, constant), std::nullopt);
    EXPECT_EQ((*function)(constant, constant), std::nullopt);
    EXPECT_EQ((*function)(one, one), std::nullopt);
    EXPECT_EQ((*function)(none, none), std::nullopt);
  }
  EXPECT_EQ(kendall_tau_b(constant, rising), std::nullopt);
  EXPECT_EQ(kendall_tau_c(rising, constant), std::nullopt);
  EXPECT_EQ(kendall_tau_b(one, one), std::nullopt);
  EXPECT_EQ(kendall_tau_c(none, none), std::nullopt);
}

TEST(Correlation, RefusesValuesThatAreNotFinite) {
  const std::vector<double> good{1, 2, 3}, bad{1, std::numeric_limits<double>::quiet_NaN(), 3};
  const std::vector<double> infinite{1, 2, -std::numeric_limits<double>::infinity()};
  try {
    pearson(good, bad);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_input);
    EXPECT_STREQ(error.what(), "predicted: value 2 is not a number");
  }
  try {
    spearman(infinite, good);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "gold: value 3 is infinite");
  }
  EXPECT_THROW(kendall_tau_b(bad, good), Error);
  EXPECT_THROW(kendall_tau_c(good, bad), Error);
}

TEST(Correlation, RefusesLengthsThatDiffer) {
  const std::vector<double> three{1, 2, 3}, two{1, 2};
  try {
    pearson(three, two);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "3 gold values but 2 predicted values");
  }
}

TEST(Pearson, DoesNotMindShiftAndScale) {
  RandomStream stream(1, 0);
  const auto x = random_values(stream, 50, 1000), y = random_values(stream, 50, 0);
  const double expected = *pearson(x, y);
  for (const double shift : {0.0, 1048576.0, -3e6}) {
    for (const double scale : {0x1p-20, 1.0, 0x1p10, 0x1p900, 0x1p-900}) {
      std::vector<double> moved;
      for (const double value : x)
        moved.push_back(std::fabs(scale) < 1e6 && scale > 1e-7 ? shift + scale * value : scale * value);
      EXPECT_NEAR(*pearson(moved, y), expected, 1e-13) << shift << ' ' << scale;
    }
  }
}

TEST(Pearson, IsSymmetricAndChangesSignWithOneSide) {
  RandomStream stream(2, 0);
  const auto x = random_values(stream, 30, 0), y = random_values(stream, 30, 6);
  std::vector<double> negative;
  for (const double value : y) negative.push_back(-value);
  EXPECT_NEAR(*pearson(x, y), *pearson(y, x), 1e-15);
  EXPECT_NEAR(*pearson(x, y), -*pearson(x, negative), 1e-15);
  EXPECT_EQ(*pearson(x, x), 1);
}

TEST(Spearman, SeesOrderAlone) {
  RandomStream stream(3, 0);
  const auto x = random_values(stream, 40, 9), y = random_values(stream, 40, 0);
  std::vector<double> curved;
  for (const double value : x) curved.push_back(std::exp(3 * value));
  EXPECT_EQ(spearman(x, y), spearman(curved, y));
}

TEST(CountPairs, AgreesWithLookingAtEveryPair) {
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    RandomStream stream(4, trial);
    const std::size_t rows = stream.below(120);
    const auto x = random_values(stream, rows, stream.below(20)),
               y = random_values(stream, rows, stream.below(20));
    EXPECT_EQ(count_pairs(x, y), brute_force_pairs(x, y)) << trial;
  }
}

TEST(CountPairs, CountsAllTies) {
  const std::vector<double> constant(4, 1.0), rising{1, 2, 3, 4};
  EXPECT_EQ(count_pairs(constant, constant), (PairCounts{0, 0, 0, 0, 6}));
  EXPECT_EQ(count_pairs(constant, rising), (PairCounts{0, 0, 6, 0, 0}));
  EXPECT_EQ(count_pairs(rising, constant), (PairCounts{0, 0, 0, 6, 0}));
}

TEST(CountPairs, HoldsCountsBeyond32Bits) {
  std::vector<double> rising(200'000), falling(200'000);
  for (std::size_t i = 0; i < rising.size(); ++i) {
    rising[i] = static_cast<double>(i);
    falling[i] = -static_cast<double>(i);
  }
  EXPECT_EQ(count_pairs(rising, falling).discordant, 19'999'900'000u);
  EXPECT_DOUBLE_EQ(*kendall_tau_b(rising, falling), -1);
  EXPECT_DOUBLE_EQ(*spearman(rising, falling), -1);
}

}  // namespace
}  // namespace markeval::meta
