#include "base/float16.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace markeval {
namespace {

/// By the definition of the format, in double.
double value_of(Half half) {
  const int exponent = (half >> 10) & 31, fraction = half & 1023;
  const double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (half & 0x8000) != 0 ? -size : size;
}

TEST(Float16, EveryValueIsExactAndComesBack) {
  for (unsigned bits = 0; bits <= 0xffff; ++bits) {
    const auto half = static_cast<Half>(bits);
    if ((half & 0x7c00) == 0x7c00) continue;
    ASSERT_EQ(from_half(half), value_of(half)) << bits;
    ASSERT_EQ(std::signbit(from_half(half)), (half & 0x8000) != 0) << bits;
    ASSERT_EQ(to_half(from_half(half)), half) << bits;
  }
}

TEST(Float16, InfinityAndNotANumberStay) {
  EXPECT_EQ(from_half(0x7c00), std::numeric_limits<float>::infinity());
  EXPECT_EQ(from_half(0xfc00), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(from_half(0x7e00)));
  EXPECT_TRUE(std::isnan(from_half(0x7c01)));
}

TEST(Float16, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(to_half(1.0f + 0x1.0p-11f), to_half(1.0f));                // a tie: even below
  EXPECT_EQ(to_half(1.0f + 0x1.8p-10f), to_half(1.0f + 0x1.0p-9f));    // a tie: even above
  EXPECT_EQ(to_half(1.0f + 0x1.01p-11f), to_half(1.0f + 0x1.0p-10f));  // just above a tie
  EXPECT_EQ(to_half(0x1.0p-25f), 0);                                   // a tie of subnormals
  EXPECT_EQ(to_half(0x1.8p-24f), 2);
  EXPECT_EQ(to_half(-70000.0f), 0xfbff) << "beyond the largest: that one";
  EXPECT_EQ(to_half(-0.0f), 0x8000);
}

}  // namespace
}  // namespace markeval
