// How long the splits of set metrics take is said with the option that makes them fewer.
#include "score/set_intervals.hpp"

#include <gtest/gtest.h>

namespace markeval::score {
namespace {

TEST(ExpectedTime, NamesTheOptionAndANumberThatTakesATenth) {
  SplitSettings split;
  split.splits = 200;
  split.runs = 2;
  split.option = "--resamples";
  EXPECT_EQ(expected_time(std::chrono::milliseconds(1528), split),
            "200 splits of 2 systems: about 10:12 min; --resamples 100 takes half of that");
  split.runs = 1;
  split.splits = 10;
  split.option = "--ci";
  EXPECT_EQ(expected_time(std::chrono::seconds(2), split), "10 splits of 1 system: about 20 s");
}

TEST(ExpectedTime, IsNotSaidWhereItIsShort) {
  EXPECT_EQ(expected_time(std::chrono::milliseconds(19), {}), "");
}

}  // namespace
}  // namespace markeval::score
