#include "base/suggestion.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace markeval {
namespace {

const std::vector<std::string> kWords{"bertscore", "moverscore", "me"};

TEST(Suggestion, FindsTheTypingMistake) {
  EXPECT_EQ(closest_word("bretscore", kWords), "bertscore");
  EXPECT_EQ(closest_word("mover-score", kWords), "moverscore");
}

TEST(Suggestion, ListsTheKnownWordsWhereNothingIsClose) {
  EXPECT_EQ(suggestion("xyzzy", kWords), "; known: bertscore, moverscore, me");
  EXPECT_EQ(suggestion("em", kWords), "; did you mean 'me'?");
}

}  // namespace
}  // namespace markeval
