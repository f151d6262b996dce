#include "lexical/letters.hpp"

#include <gtest/gtest.h>

namespace markeval::lexical {
namespace {

void expect(std::string_view text, std::size_t letters, std::size_t ascii, std::size_t han,
            std::size_t unspaced, std::size_t hangul = 0) {
  const LetterCounts found = count_letters(text);
  EXPECT_EQ(found.letters, letters) << text;
  EXPECT_EQ(found.ascii, ascii) << text;
  EXPECT_EQ(found.han, han) << text;
  EXPECT_EQ(found.unspaced, unspaced) << text;
  EXPECT_EQ(found.hangul, hangul) << text;
}

TEST(Letters, AreCountedByScript) {
  expect("", 0, 0, 0, 0);
  expect("a 漢字 カナ", 5, 1, 2, 2);
  expect("Straße, 3.5 %!", 6, 5, 0, 0);
  expect("кот и пёс", 7, 0, 0, 0);
  expect("한국어 문장", 5, 0, 0, 0, 5);
  expect("ไทย", 3, 0, 0, 3);
  expect("ខ្មែរ", 5, 0, 0, 5);
}

TEST(Letters, AreNotDigitsPunctuationSymbolsOrInvisibleSigns) {
  expect("１２３。、「」！", 0, 0, 0, 0);
  expect("€ ☺ 😀 ± §", 0, 0, 0, 0);
  expect("\xE2\x80\x8B\xEF\xBB\xBF\xC2\xAD\xE2\x80\x8D", 0, 0, 0, 0);  // U+200B U+FEFF U+00AD U+200D
}

}  // namespace
}  // namespace markeval::lexical
