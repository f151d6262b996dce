// What nobody wrote shows, in the builds that look for it.
#include "base/aligned_buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace markeval {
namespace {

TEST(AlignedBuffer, IsNaNUntilItIsWrittenWhereASanitizerOrAssertLooks) {
#if defined(MARKEVAL_SANITIZED) || !defined(NDEBUG)
  for (const std::size_t size : {1, 1000, 2'000'000}) {
    const AlignedBuffer<float> floats(size);
    EXPECT_TRUE(
        std::ranges::all_of(std::span(floats.data(), size), [](float one) { return std::isnan(one); }));
    AlignedBuffer<float> used(size, 1.0F);
    used.forget();
    EXPECT_TRUE(std::ranges::all_of(std::span(used.data(), size), [](float one) { return std::isnan(one); }));
    const AlignedBuffer<double> doubles(size);
    EXPECT_TRUE(
        std::ranges::all_of(std::span(doubles.data(), size), [](double one) { return std::isnan(one); }));
  }
#else
  GTEST_SKIP() << "this build leaves memory as it is";
#endif
}

}  // namespace
}  // namespace markeval
