#include <gtest/gtest.h>

#include "embed/encoder_run.hpp"

namespace markeval::embed {
namespace {

using Ranges = std::vector<std::vector<std::size_t>>;

/// begin, end, keep_begin, keep_end of each.
Ranges windows(std::size_t tokens, std::size_t size) {
  Ranges found;
  for (const TextWindow& window : text_windows(tokens, size))
    found.push_back({window.begin, window.end, window.keep_begin, window.keep_end});
  return found;
}

TEST(TextWindows, AreHalfAWindowApartAndEndWithTheText) {
  EXPECT_EQ(windows(10, 4), (Ranges{{0, 4, 0, 3}, {2, 6, 3, 5}, {4, 8, 5, 7}, {6, 10, 7, 10}}));
  EXPECT_EQ(windows(5, 4), (Ranges{{0, 4, 0, 2}, {1, 5, 2, 5}}));
  EXPECT_EQ(windows(4, 4), (Ranges{{0, 4, 0, 4}}));
  EXPECT_EQ(windows(0, 4), (Ranges{{0, 0, 0, 0}}));
}

TEST(TextWindows, KeepEveryTokenOnceAndInsideTheirWindow) {
  for (std::size_t size = 1; size < 9; ++size) {
    for (std::size_t tokens = 0; tokens < 40; ++tokens) {
      std::size_t next = 0;
      for (const TextWindow& window : text_windows(tokens, size)) {
        EXPECT_LE(window.size(), size);
        EXPECT_EQ(window.keep_begin, next) << tokens << " in windows of " << size;
        EXPECT_GE(window.keep_begin, window.begin);
        EXPECT_LE(window.keep_end, window.end);
        next = window.keep_end;
      }
      EXPECT_EQ(next, tokens);
    }
  }
}

TEST(TextShape, CountsTheSpecialTokensAroundTheText) {
  const TextShape shape = text_shape(std::vector<std::uint8_t>{1, 0, 0, 0, 1, 1});
  EXPECT_EQ(shape.before, 1u);
  EXPECT_EQ(shape.tokens, 3u);
  EXPECT_EQ(shape.after, 2u);
  const TextShape empty = text_shape(std::vector<std::uint8_t>{1, 1});
  EXPECT_EQ(empty.tokens, 0u);
  EXPECT_EQ(empty.specials(), 2u);
}

}  // namespace
}  // namespace markeval::embed
