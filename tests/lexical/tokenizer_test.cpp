#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "base/random.hpp"
#include "lexical/bleu_tokenizer.hpp"
#include "lexical/porter_stemmer.hpp"
#include "lexical/python_text.hpp"
#include "lexical/rewriting.hpp"
#include "lexical/rouge_tokenizer.hpp"
#include "lexical/ter_tokenizer.hpp"

namespace markeval::lexical {
namespace {

std::string joined(const std::vector<std::string_view>& words) {
  std::string result;
  for (const auto word : words) result.append(result.empty() ? 0 : 1, ' ').append(word);
  return result;
}

std::string tokens(std::string_view name, std::string_view line, bool lowercase = false) {
  BleuTokenizer tokenizer(bleu_tokenization(name), lowercase);
  std::string storage;
  std::vector<std::string_view> words;
  tokenizer.tokenize(line, storage, words);
  return joined(words);
}

std::string ter_tokens(const TerOptions& options, std::string_view line, bool reference = false) {
  TerTokenizer tokenizer(options);
  std::string storage;
  std::vector<std::string_view> words;
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

/// 13a step by step, as the public tool does it.
std::string tokens_by_steps(std::string_view line) {
  std::u32string text, spare;
  decode(line, text);
  text = U' ' + std::u32string(strip_right(text)) + U' ';
  isolate(text, spare, is_western_symbol);
  separate_western_punctuation(spare, text);
  const std::string parted = encode(spare);
  std::vector<std::string_view> words;
  split(parted, words);
  return joined(words);
}

TEST(BleuTokenizer, SplitsInOnePassAsStepByStep) {
  const std::vector<std::string> pieces{"a", "5",  ".", ",",  "-",      " ",      "\"",
                                        "'", "\t", "é", "世", "\u00a0", "\u3000", "…"};
  RandomStream random(13, 0);
  for (int round = 0; round < 20000; ++round) {
    std::string line;
    for (std::uint64_t left = random.below(12); left > 0; --left) line += pieces[random.below(pieces.size())];
    ASSERT_EQ(tokens("13a", line), tokens_by_steps(line)) << "'" << line << "'";
  }
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
  std::string storage;
  std::vector<std::string_view> words;
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
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"caresses", "caress"},   {"ponies", "poni"},      {"dies", "die"},        {"cats", "cat"},
      {"agreed", "agre"},       {"feed", "feed"},        {"spied", "spi"},       {"died", "die"},
      {"plastered", "plaster"}, {"motoring", "motor"},   {"sing", "sing"},       {"sized", "size"},
      {"hopping", "hop"},       {"falling", "fall"},     {"filing", "file"},     {"happy", "happi"},
      {"enjoy", "enjoy"},       {"relational", "relat"}, {"rational", "ration"}, {"radically", "radic"},
      {"hopefully", "hope"},    {"theology", "theolog"}, {"geology", "geolog"},  {"dying", "die"},
      {"news", "news"},         {"succeed", "succeed"},  {"adoption", "adopt"},  {"controlling", "control"},
      {"rate", "rate"},         {"cease", "ceas"},       {"by", "by"},           {"yyyed", "yy"},
  };
  for (const auto& [word, stem] : cases) EXPECT_EQ(porter_stem(word), stem) << word;
}

}  // namespace
}  // namespace markeval::lexical
