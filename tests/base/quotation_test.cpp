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
  EXPECT_EQ(harmless("a \x1b[31m\n\tb \u00E9 \u009b0m"), "a \\x1b[31m\\n\\tb \u00E9 \\xc2\\x9b0m");
  EXPECT_EQ(harmless(std::string(5000, 'x')).size(), kLongestMessage + 5);
}

TEST(Quotation, PassesNothingATerminalObeys) {
  EXPECT_EQ(printable("name\t1.5\n"), "name\t1.5\n") << "tables need tabs and line breaks";
  EXPECT_EQ(printable("\x1b]0;OWNED\x07 \r\x7f"), "\\x1b]0;OWNED\\x07 \\x0d\\x7f");
  for (const char* mark : {"\u061C", "\u200E", "\u200F", "\u202A", "\u202E", "\u2066", "\u2069"})
    EXPECT_EQ(printable(mark).front(), '\\') << mark;
  for (const char* letter :
       {"\u061B", "\u200D", "\u2029", "\u202F", "\u2065", "\u206A", "\u00A0", "\U0001F600"})
    EXPECT_EQ(printable(letter), letter);
  EXPECT_EQ(printable("caf\xe9 \x9b"
                      "31m"),
            "caf\\xe9 \\x9b31m")
      << "bytes that are no UTF-8";
}

TEST(Quotation, CutsAMessageBetweenCharacters) {
  std::string many;
  for (int i = 0; i < 3000; ++i) many += "\u00E9";
  EXPECT_TRUE(harmless(many).ends_with("\u00E9 ..."));
}

TEST(Quotation, ListsTheFirstNames) {
  EXPECT_EQ(listed(std::vector<std::string>{"a", "b"}), "a, b");
  const std::vector<std::string> many(52, "n");
  EXPECT_TRUE(listed(many).ends_with("n and 2 more"));
}

}  // namespace
}  // namespace markeval
