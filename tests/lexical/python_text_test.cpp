#include "lexical/python_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace markeval::lexical {
namespace {

std::string lowered(std::string_view text) {
  std::u32string codes;
  decode(text, codes);
  lower(codes);
  return encode(codes);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  split(text, words);
  return {words.begin(), words.end()};
}

TEST(Decode, ReplacesDamagedBytesLikePython) {
  std::u32string codes;
  decode(
      "a\xff"
      "b\xe2\x82"
      "c\xed\xa0\x80",
      codes);  // a lone byte, a cut character, an encoded surrogate
  EXPECT_EQ(codes,
            U"a\uFFFD"
            U"b\uFFFD"
            U"c\uFFFD\uFFFD\uFFFD");
}

TEST(Decode, GivesBackWhatEncodeWrites) {
  const std::u32string all = U"A\u00e9\u4e16\U0001F600\U0010FFFF";
  std::u32string codes;
  decode(encode(all), codes);
  EXPECT_EQ(codes, all);
}

TEST(Clean, LowersAndRepairsOnlyWhereNeeded) {
  std::string storage;
  const std::string_view line = "Äh \u4e16";
  EXPECT_EQ(clean(line, false, storage).data(), line.data());
  EXPECT_EQ(clean("Ab @[Z`{", true, storage), "ab @[z`{");
  EXPECT_EQ(clean(line, true, storage), "äh \u4e16");
  EXPECT_EQ(clean("A\xff", false, storage), "A\uFFFD");
  EXPECT_EQ(clean("A\xff", true, storage), "a\uFFFD");
}

TEST(Lower, TurnsASigmaAtTheEndOfAWordIntoAFinalOne) {
  EXPECT_EQ(lowered("ΟΔΥΣΣΕΥΣ"), "οδυσσευς");
  EXPECT_EQ(lowered("ΟΔΥΣ."), "οδυς.");
  EXPECT_EQ(lowered("Σ"), "σ");
  EXPECT_EQ(lowered("ΑΣ'Α"), "ασ'α");
}

TEST(Lower, SplitsTheDottedCapitalI) {
  EXPECT_EQ(lowered("İZMİR"), "i̇zmi̇r");
}

TEST(Lower, LeavesWhatHasNoLowerCase) {
  EXPECT_EQ(lowered("ǅ世Ⅷ𐐀ẞ"), "ǆ世ⅷ𐐨ß");
}

TEST(Split, CutsAtEveryWhiteSpacePythonKnows) {
  EXPECT_THAT(words_of("a\tb\xc2\xa0"
                       "c\xe3\x80\x80"
                       "d\x1f"
                       "e\xe2\x80\xa8"
                       "f"),
              ::testing::ElementsAre("a", "b", "c", "d", "e", "f"));
  EXPECT_THAT(words_of("a\xe2\x80\x8b"
                       "b"),
              ::testing::ElementsAre("a\xe2\x80\x8b"
                                     "b"));  // a zero-width space is none
  EXPECT_THAT(words_of("  "), ::testing::IsEmpty());
}

TEST(Category, TellsPunctuationSymbolsAndNumbers) {
  EXPECT_EQ(category(U'!'), Category::punctuation);
  EXPECT_EQ(category(U'\u3002'), Category::punctuation);
  EXPECT_EQ(category(U'$'), Category::symbol);
  EXPECT_EQ(category(U'\u20ac'), Category::symbol);
  EXPECT_EQ(category(U'\u0967'), Category::number);
  EXPECT_EQ(category(U'\u00bd'), Category::number);
  EXPECT_EQ(category(U'\u4e16'), Category::other);
  EXPECT_EQ(category(U'\U0010FFFF'), Category::other);
}

}  // namespace
}  // namespace markeval::lexical
