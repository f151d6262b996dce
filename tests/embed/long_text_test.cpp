#include "embed/long_text.hpp"

#include <gtest/gtest.h>

namespace markeval::embed {
namespace {

using Starts = std::vector<std::size_t>;

TEST(WindowStarts, AreHalfAWindowApartAndEndWithTheText) {
  EXPECT_EQ(window_starts(10, 4), (Starts{0, 2, 4, 6}));
  EXPECT_EQ(window_starts(9, 4), (Starts{0, 2, 4, 5}));
  EXPECT_EQ(window_starts(5, 4), (Starts{0, 1}));
  EXPECT_EQ(window_starts(4, 4), (Starts{0}));
  EXPECT_EQ(window_starts(0, 4), (Starts{0}));
  EXPECT_EQ(window_starts(3, 1), (Starts{0, 1, 2}));
}

TEST(TextShape, CountsTheSpecialTokensAroundTheText) {
  const TextShape shape = text_shape(std::vector<std::uint8_t>{1, 0, 0, 0, 1, 1});
  EXPECT_EQ(shape.before, 1u);
  EXPECT_EQ(shape.tokens, 3u);
  EXPECT_EQ(shape.after, 2u);
  const TextShape empty = text_shape(std::vector<std::uint8_t>{1, 1});
  EXPECT_EQ(empty.tokens, 0u);
  EXPECT_EQ(empty.total(), 2u);
}

TEST(WindowMean, AveragesWhatWindowsShare) {
  // Before: 1 special token; 3 tokens in windows of 2; after: none.
  WindowMean mean({.before = 1, .tokens = 3, .after = 0}, 1);
  const std::vector<float> first{10, 1, 2}, second{20, 4, 5};
  mean.add(0, MatrixView<const float>(first.data(), 3, 1));
  mean.add(1, MatrixView<const float>(second.data(), 3, 1));
  EXPECT_EQ(mean.mean(), (std::vector<float>{15, 1, 3, 5}));
}

TEST(WindowMean, KeepsSpecialTokensAtTheEndApart) {
  WindowMean mean({.before = 0, .tokens = 2, .after = 1}, 2);
  const std::vector<float> first{1, 2, 7, 8}, second{3, 4, 9, 10};
  mean.add(0, MatrixView<const float>(first.data(), 2, 2));
  mean.add(1, MatrixView<const float>(second.data(), 2, 2));
  EXPECT_EQ(mean.mean(), (std::vector<float>{1, 2, 3, 4, 8, 9}));
}

}  // namespace
}  // namespace markeval::embed
