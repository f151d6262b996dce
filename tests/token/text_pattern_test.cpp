#define PCRE2_CODE_UNIT_WIDTH 8
#include "token/text_pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pcre2.h>

#include <atomic>

#include <nlohmann/json.hpp>

#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "support/temp_folder.hpp"
#include "text/utf8.hpp"
#include "token/json_fields.hpp"
#include "token/pattern_dialect.hpp"
#include "token/unicode.hpp"

namespace markeval::token {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> matches(const std::string& regex, const std::string& text) {
  const TextPattern pattern(json{{"Regex", regex}}, JsonPath{"t.json"});
  std::vector<std::string> found;
  PatternSearch search(pattern, text);
  while (const auto match = search.next())
    found.push_back(text.substr(match->begin, match->end - match->begin));
  return found;
}

/// The same without windows, straight from PCRE2.
std::vector<std::string> matches_at_once(const std::string& regex, const std::string& text) {
  const std::string translated = to_pcre2(regex, JsonPath{"t.json"});
  const auto bytes_of = [](const std::string& from) { return reinterpret_cast<PCRE2_SPTR>(from.data()); };
  int error = 0;
  PCRE2_SIZE at = 0;
  pcre2_compile_context* const context = pcre2_compile_context_create(nullptr);
  pcre2_set_newline(context, PCRE2_NEWLINE_LF);
  pcre2_code* const code = pcre2_compile(bytes_of(translated), translated.size(),
                                         PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE, &error, &at, context);
  pcre2_match_data* const data = pcre2_match_data_create(1, nullptr);
  std::vector<std::string> found;
  for (std::size_t position = 0;
       pcre2_match(code, bytes_of(text), text.size(), position, 0, data, nullptr) >= 0;) {
    const PCRE2_SIZE* const ends = pcre2_get_ovector_pointer(data);
    found.push_back(text.substr(ends[0], ends[1] - ends[0]));
    position = ends[1];
  }
  pcre2_match_data_free(data);
  pcre2_code_free(code);
  pcre2_compile_context_free(context);
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
  const TextPattern pattern(json{{"String", "``"}}, JsonPath{"t.json"});
  PatternSearch search(pattern, "a``b");
  const auto match = search.next();
  ASSERT_TRUE(match);
  EXPECT_EQ(match->begin, 1U);
  EXPECT_EQ(match->end, 3U);
  EXPECT_FALSE(search.next());
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

TEST(TextPattern, ReadsTheExpressionsOfRealTokenizers) {
  // Llama 3 and cl100k (with possessive repeats) cut alike here. Made by tokenizers 0.22.2.
  const std::string llama =
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  const std::string cl100k =
      R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)";
  for (const std::string& regex : {llama, cl100k}) {
    EXPECT_THAT(
        matches(regex, "I'LL go  to 1234caf\u00E9s,\n  ok "),
        ElementsAre("I", "'LL", " go", " ", " to", " ", "123", "4", "caf\u00E9s", ",\n", " ", " ok", " "));
  }
}

TEST(TextPattern, KnowsCategoriesScriptsAndCase) {
  EXPECT_THAT(matches(R"(\p{Han}+)", "a\u6F22\u5B57b"), ElementsAre("\u6F22\u5B57"));
  EXPECT_THAT(matches(R"([\p{Lu}\p{Lt}]\p{Ll}+)", "abC\u00E9d"), ElementsAre("C\u00E9d"));
  EXPECT_THAT(matches(R"(\P{L}+|\p{^N})", "a1b"), ElementsAre("a", "1", "b"));
  EXPECT_THAT(matches(R"(\d+)", "a12\u0663"), ElementsAre("12\u0663"));
  EXPECT_THAT(matches("(?i:k)", "kK\u212A"), ElementsAre("k", "K", "\u212A"));
  EXPECT_THAT(matches(R"(\x41|[\x{4E00}-\x{9FFF}]|\x{1F600})", "A\u6F22\U0001F600b"),
              ElementsAre("A", "\u6F22", "\U0001F600"));
}

TEST(TextPattern, KnowsGroupsAndLooksAround) {
  EXPECT_THAT(matches("(a|b)+c", "abac bc"), ElementsAre("abac", "bc"));
  EXPECT_THAT(matches("(?<=a)b|(?<!a)c|d(?=e)", "abacbcde"), ElementsAre("b", "c", "d"));
  EXPECT_THAT(matches("a+?|b{1,3}?", "aabb"), ElementsAre("a", "a", "b", "b"));
  EXPECT_THAT(matches("^a|b$", "a\nab\nb"), ElementsAre("a", "a", "b", "b")) << "lines, as Oniguruma has it";
  EXPECT_THAT(matches(".+", "a\rb\nc"), ElementsAre("a\rb", "c"));
}

TEST(TextPattern, HasTheWhiteSpaceOfUnicode) {
  // Oniguruma's: U+0085 and the separators. U+180E and U+200B are none.
  EXPECT_THAT(matches(R"(\s)", "a\u0085b\u00A0c\u2003d\u2028e\u3000f\u180Eg\u200Bh\v\f"),
              ElementsAre("\u0085", "\u00A0", "\u2003", "\u2028", "\u3000", "\v", "\f"));
  EXPECT_THAT(matches(R"(\S)", "\u0085\u180E "), ElementsAre("\u180E"));
  EXPECT_THAT(matches(R"([^\S\n]+)", "\u180E \t\n"), ElementsAre(" \t"));
}

TEST(TextPattern, HasTheLettersNumbersAndBlanksOfTheTables) {
  std::vector<std::string> characters;
  for (char32_t code = 1; code < 0x110000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    text::append(characters.emplace_back(), code);
  }
  for (const auto& [regex, property] : {std::pair{R"(\p{L})", kLetter}, std::pair{R"(\p{N})", kNumber},
                                        std::pair{R"([\p{L}])", kLetter}, std::pair{R"([^\S])", kSpace}}) {
    const TextPattern pattern(json{{"Regex", regex}}, JsonPath{"t.json"});
    for (const std::string& character : characters) {
      std::size_t position = 0;
      const char32_t code = text::decode(character, position);
      ASSERT_EQ(PatternSearch(pattern, character).next().has_value(), UnicodeData::get().has(code, property))
          << regex << " and U+" << std::hex << static_cast<std::uint32_t>(code);
    }
  }
}

TEST(TextPattern, GivesUpWhereAnExpressionTriesEveryWay) {
  const auto finds = [](const std::string& regex, const std::string& text) { return matches(regex, text); };
  // The first one did not end once, and nothing could stop it.
  EXPECT_THAT(finds("a*a*a*a*a*a*a*a*b", std::string(120, 'a') + "c"), ElementsAre());
  EXPECT_ERROR(finds("a*a*a*a*a*a*a*a*[bd]", std::string(120, 'a') + "c"), ErrorCode::invalid_input,
               "t.json: the regular expression 'a*a*a*a*a*a*a*a*[bd]' takes too long on a text of 121 bytes");
  EXPECT_ERROR(finds("(?:a|a)+[bd]", std::string(5000, 'a')), ErrorCode::invalid_input, "takes too long");
  EXPECT_ERROR(finds("(?:a+)+[bd]", std::string(1 << 20, 'a')), ErrorCode::invalid_input, "takes too long");
}

TEST(TextPattern, GivesUpWhereEveryMatchLooksAtTheRestOfTheText) {
  // 100 kB took half a minute, 1 MB an hour.
  EXPECT_ERROR(matches("a(?=[^b]*$)", std::string(1 << 20, 'a')), ErrorCode::invalid_input,
               "takes too long on a text of 1048576 bytes, "
               "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa... (1048576 bytes)': it looks "
               "ahead too often");
}

TEST(TextPattern, FindsTheSameWhereverALongTextIsCutForTheSearch) {
  // Matches and what they look at lie across the places where a search is shown more.
  const std::vector<std::string> parts{"a",      "bb",   " ",   "  ",   "\n", "caf\u00e9",
                                       "\u6F22", "1234", "x's", "\r\n", ".",  ".."};
  RandomStream random(7, 0);
  for (const char* regex :
       {R"([^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)", " {2,}",
        "a(?=.)|b$|^ ", "(?<=b) +(?=[^1]{3})", R"(\p{Han}+\s*1)", ".+", "b(?! )|[^b]{300,400}?"}) {
    for (int round = 0; round < 20; ++round) {
      std::string text;
      const std::size_t repeated = 1 + random.below(30);
      while (text.size() < 3000) {
        const std::string& part = parts[random.below(parts.size())];
        for (std::size_t i = random.below(repeated) + 1; i > 0; --i) text += part;
      }
      ASSERT_EQ(matches(regex, text), matches_at_once(regex, text)) << regex;
    }
  }
}

TEST(TextPattern, CanBeStopped) {
  std::atomic<bool> cancel{true};
  const CancelScope stoppable(&cancel);
  EXPECT_ERROR(matches("a", "aaa"), ErrorCode::cancelled, "stopped on request");
}

TEST(TextPattern, ReadsLongTexts) {
  const std::string word(1 << 20, 'a'), shorter(10'000, 'a');
  EXPECT_THAT(matches(R"(\p{L}+|\s+(?!\S)|\s+)", word + " " + word), ElementsAre(word, " ", word));
  EXPECT_THAT(matches(R"((?:\p{L}|')+|\s+)", shorter + " " + shorter), ElementsAre(shorter, " ", shorter));
}

TEST(TextPattern, NamesWhatItDoesNotSupport) {
  const auto parse = [](const std::string& regex) { matches(regex, "x"); };
  EXPECT_ERROR(parse(R"(a\w+)"), ErrorCode::invalid_input,
               R"(t.json: the regular expression 'a\w+' is not supported: '\w' is not known)");
  EXPECT_ERROR(parse(R"(\p{Nonsense})"), ErrorCode::invalid_input, "is not supported: unknown property");
  EXPECT_ERROR(parse(R"(\pL)"), ErrorCode::invalid_input, "\\p without {...}");
  EXPECT_ERROR(parse(R"(\xE9)"), ErrorCode::invalid_input, "\\x without {...} or two digits up to 7F");
  EXPECT_ERROR(parse(R"(\x{)"), ErrorCode::invalid_input, "\\x without {...}");
  EXPECT_ERROR(parse("(?P<n>a)"), ErrorCode::invalid_input, "'(?P' is not known");
  EXPECT_ERROR(parse("(*UTF)a"), ErrorCode::invalid_input, "'(*' is not known");
  EXPECT_ERROR(parse("a*"), ErrorCode::invalid_input, "matches the empty string");
  EXPECT_ERROR(parse("a|"), ErrorCode::invalid_input, "matches the empty string");
  EXPECT_ERROR(parse("[a"), ErrorCode::invalid_input, "a set without its ']'");
  EXPECT_ERROR(parse("[a&&b]"), ErrorCode::invalid_input, "sets inside sets");
  EXPECT_ERROR(parse("(a"), ErrorCode::invalid_input, "is not supported: missing closing parenthesis");
  EXPECT_ERROR(parse("a{3,2}"), ErrorCode::invalid_input, "numbers out of order");
  EXPECT_ERROR(parse("a{99999}"), ErrorCode::invalid_input, "a repeat above 9999");
  EXPECT_ERROR(parse("a{b}"), ErrorCode::invalid_input, "is no repeat");
  EXPECT_ERROR(parse("a{2}?"), ErrorCode::invalid_input, "a repeat of a repeat");
  EXPECT_ERROR(parse(std::string(20000, 'a')), ErrorCode::invalid_input, "longer than 10000 bytes");
  EXPECT_ERROR(TextPattern(json{{"String", ""}}, JsonPath{"t"}), ErrorCode::invalid_input,
               "an empty string as pattern");
  EXPECT_ERROR(TextPattern(json{{"Text", "a"}}, JsonPath{"t"}), ErrorCode::invalid_input,
               "a pattern must be");
}

}  // namespace
}  // namespace markeval::token
