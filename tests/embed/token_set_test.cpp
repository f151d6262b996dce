#include "embed/token_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/temp_folder.hpp"

namespace markeval::embed {
namespace {

using ::testing::ElementsAre;

const TokenFact kTokens[] = {
    {"[CLS]", true, false}, {"the"}, {"walk"}, {"##ing", false, false}, {"man"}, {","}, {"..."},
    {"[SEP]", true, false}};

TEST(TokenSet, KeepsFirstPiecesAndSpecialsByDefault) {
  EXPECT_THAT(kept_tokens(kTokens, {}), ElementsAre(0, 1, 2, 4, 6, 7));
}

TEST(TokenSet, DropsWhatTheRulesName) {
  const StopWords stop_words{"a", "the", "of", "man"};
  TokenRules rules;
  rules.specials = false;
  rules.continuations = true;
  rules.stop_words = &stop_words;
  EXPECT_THAT(kept_tokens(kTokens, rules), ElementsAre(2, 3, 6));
  rules.punctuation = true;
  EXPECT_THAT(kept_tokens(kTokens, rules), ElementsAre(2, 3, 5, 6));
}

TEST(TokenSet, SeesThroughTheMarksOfWordBegins) {
  EXPECT_EQ(bare_piece("\u0120the"), "the");
  EXPECT_EQ(bare_piece("\u2581the"), "the");
  EXPECT_EQ(bare_piece("##ing"), "ing");
  EXPECT_EQ(bare_piece("#"), "#");
  const TokenFact tokens[] = {{"\u0120,"}, {"\u2581."}, {"\u0120word"}};
  EXPECT_THAT(kept_tokens(tokens, {}), ElementsAre(2));
}

TEST(TokenSet, CountsSingleAsciiPunctuationAsPunctuation) {
  for (const char c : std::string("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"))
    EXPECT_TRUE(is_punctuation({&c, 1})) << c;
  for (const char c : std::string("azAZ09 ")) EXPECT_FALSE(is_punctuation({&c, 1})) << c;
  EXPECT_FALSE(is_punctuation("--"));
  EXPECT_FALSE(is_punctuation(""));
}

TEST(StopWordsFile, IsReadAndMissedWithItsName) {
  const TempFolder folder;
  EXPECT_EQ(read_stop_words(folder.write("stop.txt", "and\nthe or\tof ")),
            (StopWords{"and", "the", "or", "of"}));
  EXPECT_ERROR(read_stop_words(folder.file("none.txt")), ErrorCode::io,
               "none.txt: cannot read the stop words");
}

}  // namespace
}  // namespace markeval::embed
