#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <vector>

#include "metric/lexical_metric.hpp"

namespace markeval::metric {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<std::string> kNames{"first", "second"};

/// `segments` lines, `references` different references each, two systems that equal none of them.
lexical::ScoredTexts corpus(std::size_t segments, std::size_t references) {
  static const std::vector<std::string> words{"one", "two", "three", "four", "five"};
  lexical::ScoredTexts made;
  made.systems = {std::vector<std::string_view>(segments, "mine."),
                  std::vector<std::string_view>(segments, "yours.")};
  for (std::size_t i = 0; i < segments; ++i) {
    auto& row = made.references.emplace_back();
    for (std::size_t r = 0; r < references; ++r) row.push_back(words[r % words.size()]);
  }
  return made;
}

/// Those there is a warning for.
std::vector<std::string> mistakes(const lexical::ScoredTexts& corpus, const std::vector<std::string>& names) {
  std::vector<std::string> warnings;
  for (const Finding& finding : plausible_mistakes(corpus, names)) {
    if (std::string text = text_of(finding); !text.empty()) warnings.push_back(std::move(text));
  }
  return warnings;
}

TEST(PlausibleMistakes, AreNotSeenInPlainText) {
  EXPECT_THAT(mistakes(corpus(300, 2), kNames), IsEmpty());
}

TEST(PlausibleMistakes, TokenisedTextFromAHundredLinesOn) {
  lexical::ScoredTexts made = corpus(300, 1);
  for (std::size_t i = 0; i < 99; ++i) made.systems[1][3 * i] = "All is well .";
  EXPECT_THAT(mistakes(made, kNames), IsEmpty());
  made.systems[1][1] = "This too .";
  EXPECT_THAT(
      mistakes(made, kNames),
      ElementsAre("second: 100 of 300 lines end in ' .': it looks tokenised, but these metrics expect "
                  "plain text and tokenise themselves"));
}

TEST(PlausibleMistakes, ASystemEqualToAReference) {
  lexical::ScoredTexts made = corpus(4, 2);
  made.systems[0].assign(4, "two");
  EXPECT_THAT(mistakes(made, kNames),
              ElementsAre("first equals reference 2 line by line: is it the right file?"));
  made.systems[0][3] = "2";
  EXPECT_THAT(mistakes(made, kNames), IsEmpty());
}

TEST(PlausibleMistakes, AsManyReferencesAsSegments) {
  EXPECT_THAT(mistakes(corpus(3, 3), kNames),
              ElementsAre("3 segments with 3 references each: are the references transposed (one list per "
                          "segment is expected)?"));
  EXPECT_THAT(mistakes(corpus(2, 2), kNames), IsEmpty());
  lexical::ScoredTexts varying = corpus(3, 3);
  varying.references[1].pop_back();
  EXPECT_THAT(mistakes(varying, kNames), IsEmpty());
}

}  // namespace
}  // namespace markeval::metric
