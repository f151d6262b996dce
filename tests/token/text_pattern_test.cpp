#include "token/text_pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "support/temp_folder.hpp"
#include "token/json_fields.hpp"

namespace markeval::token {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> matches(const std::string& regex, const std::string& text) {
  const TextPattern pattern(json{{"Regex", regex}}, JsonPlace{"t.json"});
  std::vector<std::string> found;
  std::size_t position = 0;
  while (const auto match = pattern.find(text, position)) {
    found.push_back(text.substr(match->begin, match->end - match->begin));
    position = match->end;
  }
  return found;
}

TEST(TextPattern, FindsRepeatsGreedily) {
  EXPECT_THAT(matches(" {2,}", "a  b c   d"), ElementsAre("  ", "   "));
  EXPECT_THAT(matches("a{2,3}", "aaaaaaa"), ElementsAre("aaa", "aaa"));
  EXPECT_THAT(matches("ab*c?", "abbc a abd"), ElementsAre("abbc", "a", "ab"));
}

TEST(TextPattern, GivesBackWhatTheRestNeeds) {
  EXPECT_THAT(matches("[a-z]+b", "xxbxb c"), ElementsAre("xxbxb"));
  EXPECT_THAT(matches(R"(\s*\n)", " \n  x"), ElementsAre(" \n"));
}

TEST(TextPattern, TakesTheFirstAlternativeThatMatches) {
  EXPECT_THAT(matches("a|ab", "ab"), ElementsAre("a"));
  EXPECT_THAT(matches(R"(\p{N}{1,3}|[^\s\p{N}]+)", "1234 ab\u0663"), ElementsAre("123", "4", "ab", "\u0663"));
}

TEST(TextPattern, KnowsSets) {
  EXPECT_THAT(matches("[]a]", "]b"), ElementsAre("]"));
  EXPECT_THAT(matches(R"([^\S\n])", "a \n"), ElementsAre(" "));
  EXPECT_THAT(matches(R"([\.\-a])", "x.-a"), ElementsAre(".", "-", "a"));
  EXPECT_THAT(matches("[\u00E0-\u00FF]", "e\u00E9"), ElementsAre("\u00E9"));
}

TEST(TextPattern, FindsLiteralStrings) {
  const TextPattern pattern(json{{"String", "``"}}, JsonPlace{"t.json"});
  const auto match = pattern.find("a``b", 0);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->begin, 1U);
  EXPECT_EQ(match->end, 3U);
  EXPECT_FALSE(pattern.find("a``b", 2));
}

TEST(TextPattern, CutsLikeGpt2) {
  const std::string text = "I'll go  to 12caf\u00E9s, 'S\n\n ok ";
  std::vector<std::string> pieces;
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t end = gpt2_piece_end(text, position);
    pieces.push_back(text.substr(position, end - position));
    position = end;
  }
  // Made by tokenizers 0.22.2, Split with GPT-2's pattern.
  EXPECT_THAT(pieces, ElementsAre("I", "'ll", " go", " ", " to", " 12", "caf\u00E9s", ",", " '", "S", "\n\n",
                                  " ok", " "));
}

TEST(TextPattern, NamesWhatItDoesNotSupport) {
  const auto parse = [](const std::string& regex) { matches(regex, "x"); };
  EXPECT_ERROR(parse("(a)"), ErrorCode::invalid_input, "'(a)' is not supported: '(' is not known here");
  EXPECT_ERROR(parse(R"(\d+)"), ErrorCode::invalid_input, R"('\d' is not known)");
  EXPECT_ERROR(parse(R"(\p{Han})"), ErrorCode::invalid_input, "only \\p{L} and \\p{N} are known");
  EXPECT_ERROR(parse("a*"), ErrorCode::invalid_input, "matches the empty string");
  EXPECT_ERROR(parse("a|"), ErrorCode::invalid_input, "matches the empty string");
  EXPECT_ERROR(parse("[a"), ErrorCode::invalid_input, "it ends too early");
  EXPECT_ERROR(parse("a{3,2}"), ErrorCode::invalid_input, "a bad repeat");
  EXPECT_ERROR(parse("a{9999}"), ErrorCode::invalid_input, "a repeat above 1000");
  EXPECT_ERROR(parse("a+?"), ErrorCode::invalid_input, "a repeat of a repeat");
  EXPECT_ERROR(TextPattern(json{{"String", ""}}, JsonPlace{"t"}), ErrorCode::invalid_input,
               "an empty string as pattern");
  EXPECT_ERROR(TextPattern(json{{"Text", "a"}}, JsonPlace{"t"}), ErrorCode::invalid_input,
               "a pattern must be");
}

}  // namespace
}  // namespace markeval::token
