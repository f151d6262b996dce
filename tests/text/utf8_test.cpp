#include "text/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace markeval::text {
namespace {

TEST(Utf8, DecodesWhatItEncodesInAllPlanes) {
  for (char32_t character = 0; character <= 0x10FFFF; character += character < 0x3000 ? 1 : 37) {
    if (character >= 0xD800 && character <= 0xDFFF) continue;
    std::string bytes;
    append(bytes, character);
    ASSERT_EQ(valid_prefix(bytes), bytes.size());
    ASSERT_EQ(character_bytes(bytes[0]), bytes.size());
    std::size_t position = 0;
    ASSERT_TRUE(decode(bytes, position) == character);
    ASSERT_EQ(position, bytes.size());
  }
}

TEST(Utf8, StopsAtTheFirstInvalidByte) {
  EXPECT_EQ(valid_prefix(""), 0U);
  EXPECT_EQ(valid_prefix("twelve chars"), 12U);
  EXPECT_EQ(valid_prefix("ab\xFF"), 2U);
  EXPECT_EQ(valid_prefix("eight by\xC3"), 8U);           // cut off
  EXPECT_EQ(valid_prefix("\xC0\xAF"), 0U);               // overlong
  EXPECT_EQ(valid_prefix("\xE0\x80\x80"), 0U);           // overlong
  EXPECT_EQ(valid_prefix("a\xED\xA0\x80"), 1U);          // surrogate
  EXPECT_EQ(valid_prefix("\xF4\x90\x80\x80"), 0U);       // above U+10FFFF
  EXPECT_EQ(valid_prefix("\xF0\x9F\x98\x80 \x80"), 5U);  // stray continuation
}

TEST(Utf8, ReplacesEachMaximalInvalidPartOnce) {
  std::string out;
  // Expected value: b"a\xf0\x9f\x98z\xff\xed\xa0\x80".decode("utf-8", "replace") of Python 3.11.
  EXPECT_EQ(append_replacing_invalid("a\xF0\x9F\x98z\xFF\xED\xA0\x80", out), 5U);
  EXPECT_EQ(out, "a\uFFFDz\uFFFD\uFFFD\uFFFD\uFFFD");
}

TEST(Utf8, StripsWhatPythonStrips) {
  EXPECT_EQ(strip(" \t\u3000\u00A0x y\u2029\x1F\r\n"), "x y");
  EXPECT_EQ(strip("\u200Bx\u200B"), "\u200Bx\u200B");
  EXPECT_EQ(strip(" \u2003 "), "");
  EXPECT_EQ(strip(""), "");
}

TEST(Utf8, CountsCharactersNotBytes) {
  EXPECT_EQ(count_characters("a\u00E9\u4E2D\U0001F600"), 4U);
}

}  // namespace
}  // namespace markeval::text
