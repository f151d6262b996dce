#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "lexical/bleu_tokenizer.hpp"
#include "lexical/porter_stemmer.hpp"
#include "lexical/python_text.hpp"
#include "lexical/rouge_tokenizer.hpp"
#include "lexical/ter_tokenizer.hpp"

namespace markeval::lexical {
namespace {

std::string joined(const std::vector<std::u32string_view>& words) {
  std::string result;
  for (const auto word : words) result.append(result.empty() ? 0 : 1, ' ').append(encode(word));
  return result;
}

std::string tokens(std::string_view name, std::string_view line, bool lowercase = false) {
  BleuTokenizer tokenizer(bleu_tokenization(name), lowercase);
  std::u32string storage;
  std::vector<std::u32string_view> words;
  tokenizer.tokenize(line, storage, words);
  return joined(words);
}

std::string ter_tokens(const TerOptions& options, std::string_view line, bool reference = false) {
  TerTokenizer tokenizer(options);
  std::u32string storage;
  std::vector<std::u32string_view> words;
  reference ? tokenizer.tokenize_reference(line, storage, words) : tokenizer.tokenize(line, storage, words);
  return joined(words);
}

// Expected values: sacrebleu 2.6.0.
TEST(BleuTokenizer, SplitsWesternPunctuationLikeMteval13a) {
  EXPECT_EQ(tokens("13a", "It's 3.5%, isn't it?"), "It's 3.5 % , isn't it ?");
  EXPECT_EQ(tokens("13a", "pp. 10-20, a-b (1,000)."), "pp . 10 - 20 , a-b ( 1,000 ) .");
  EXPECT_EQ(tokens("13a", "x<skipped>y &amp;lt; &quot;z&quot;"), "xy < \" z \"");
  EXPECT_EQ(tokens("13a", "wait... 5. .5"), "wait . . . 5 . . 5");
}

TEST(BleuTokenizer, SplitsUnicodePunctuationButNotBetweenNumbers) {
  EXPECT_EQ(tokens("intl", "Äh «ja», 1,5 € (2.)"), "Äh « ja » , 1,5 € ( 2 . )");
  EXPECT_EQ(tokens("intl", "Ende 5."), "Ende 5.");
}

TEST(BleuTokenizer, SplitsChineseCharacters) {
  EXPECT_EQ(tokens("zh", "你好，world 3.5"), "你 好 ， world 3.5");
  EXPECT_EQ(tokens("char", "ab 世"), "a b 世");
  EXPECT_EQ(tokens("none", "  a,b  c "), "a,b c");
}

TEST(BleuTokenizer, LowercasesOnRequest) {
  EXPECT_EQ(tokens("13a", "ÄRGER, Ja", true), "ärger , ja");
}

TEST(BleuTokenizer, NamesTheClosestTokenizer) {
  try {
    bleu_tokenization("13b");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_STREQ(error.what(), "unknown tokenizer '13b'; did you mean '13a'?");
  }
}

TEST(TerTokenizer, LowercasesAndLeavesPunctuationByDefault) {
  EXPECT_EQ(ter_tokens({}, "It's So, OK."), "it's so, ok.");
}

TEST(TerTokenizer, SplitsPunctuationWhenNormalizing) {
  EXPECT_EQ(ter_tokens({.normalized = true}, "It's so, (ok) 3.5-4."), "it 's so , ( ok ) 3.5 - 4 .");
}

TEST(TerTokenizer, RemovesPunctuationOnRequest) {
  EXPECT_EQ(ter_tokens({.no_punct = true}, "So, (ok)!"), "so ok");
  EXPECT_EQ(ter_tokens({.no_punct = true, .asian_support = true}, "你好，世界。"), "你好世界");
}

TEST(TerTokenizer, SplitsIdeographsWithAsianSupport) {
  EXPECT_EQ(ter_tokens({.normalized = true, .asian_support = true}, "你好，abc"), "你 好 ， abc");
}

TEST(TerTokenizer, TokenizesReferencesTwiceLikeThePublicTool) {
  EXPECT_EQ(ter_tokens({.normalized = true}, "it's\tso"), "it's so");
  EXPECT_EQ(ter_tokens({.normalized = true}, "it's\tso", true), "it 's so");
}

TEST(RougeWords, KeepsLowercaseAsciiLettersAndDigits) {
  std::u32string storage;
  std::vector<std::u32string_view> words;
  std::vector<std::size_t> ends;
  rouge_words(
      "The cats' 3.5-litre Bowl\nnaïve \xE2\x84\xAA"
      "2 \xC4\xB0x",
      false, storage, words, ends);
  EXPECT_EQ(joined(words), "the cats 3 5 litre bowl na ve k2 i x");
  EXPECT_EQ(ends, (std::vector<std::size_t>{6, 11}));
}

// Expected values: nltk 3.10.4, PorterStemmer().
TEST(PorterStem, GivesNltksStems) {
  const std::pair<std::u32string_view, std::u32string_view> cases[] = {
      {U"caresses", U"caress"},
      {U"ponies", U"poni"},
      {U"dies", U"die"},
      {U"cats", U"cat"},
      {U"agreed", U"agre"},
      {U"feed", U"feed"},
      {U"spied", U"spi"},
      {U"died", U"die"},
      {U"plastered", U"plaster"},
      {U"motoring", U"motor"},
      {U"sing", U"sing"},
      {U"sized", U"size"},
      {U"hopping", U"hop"},
      {U"falling", U"fall"},
      {U"filing", U"file"},
      {U"happy", U"happi"},
      {U"enjoy", U"enjoy"},
      {U"relational", U"relat"},
      {U"rational", U"ration"},
      {U"radically", U"radic"},
      {U"hopefully", U"hope"},
      {U"theology", U"theolog"},
      {U"geology", U"geolog"},
      {U"dying", U"die"},
      {U"news", U"news"},
      {U"succeed", U"succeed"},
      {U"adoption", U"adopt"},
      {U"controlling", U"control"},
      {U"rate", U"rate"},
      {U"cease", U"ceas"},
      {U"by", U"by"},
      {U"yyyed", U"yy"},
  };
  for (const auto& [word, stem] : cases) EXPECT_EQ(encode(porter_stem(word)), encode(stem)) << encode(word);
}

}  // namespace
}  // namespace markeval::lexical
