#include "base/quotation.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace markeval {
namespace {

TEST(Quotation, IsShort) {
  EXPECT_EQ(shortened("abc"), "abc");
  EXPECT_EQ(shortened(std::string(60, 'x')), std::string(60, 'x'));
  EXPECT_EQ(shortened(std::string(70, 'x')), std::string(60, 'x') + "... (70 bytes)");
  EXPECT_LT(shortened(std::string(1 << 20, '\x80')).size(), 300u) << "bytes that start no character";
}

TEST(Quotation, CutsBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 61; ++i) text += "\u00E9";
  EXPECT_EQ(shortened(text), text.substr(0, 120) + "... (122 bytes)");
}

TEST(Quotation, SpellsControlCharactersOut) {
  EXPECT_EQ(in_quotes("a\n\t\x1b[31m\x7f"), "'a\\n\\t\\x1b[31m\\x7f'");
}

TEST(Quotation, KeepsAWholeMessageHarmless) {
  EXPECT_EQ(harmless("a \x1b[31m\nb \u00E9 \u009b0m"), "a \\x1b[31m\nb \u00E9 \\xc2\\x9b0m");
  EXPECT_EQ(harmless(std::string(5000, 'x')).size(), kLongestMessage + 5);
}

TEST(Quotation, ListsTheFirstNames) {
  EXPECT_EQ(listed(std::vector<std::string>{"a", "b"}), "a, b");
  const std::vector<std::string> many(52, "n");
  EXPECT_TRUE(listed(many).ends_with("n and 2 more"));
}

}  // namespace
}  // namespace markeval
