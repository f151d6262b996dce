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

TEST(Suggestion, CountsCaseAndDashesLast) {
  const std::vector<std::string> words{"rouge1", "rougeL", "bleu", "bilstm-attention"};
  EXPECT_EQ(closest_word("rougel", words), "rougeL");
  EXPECT_EQ(closest_word("rouge-1", words), "rouge1");
  EXPECT_EQ(closest_word("BLEU", words), "bleu");
  EXPECT_EQ(closest_word("BiLSTM_Attention", words), "bilstm-attention");
}

TEST(Suggestion, FindsTheNameThatGoesOn) {
  const std::vector<std::string> columns{"ref", "uedin.7", "KIT.4951"};
  EXPECT_EQ(closest_word("KIT", columns), "KIT.4951");
  EXPECT_EQ(closest_word("K", columns), std::nullopt);
  EXPECT_EQ(missing_name("column", "kit", columns),
            "no column 'kit'; did you mean 'KIT.4951'? (columns: ref, uedin.7, KIT.4951)");
  EXPECT_EQ(missing_name("field", "zzzz", columns), "no field 'zzzz' (fields: ref, uedin.7, KIT.4951)");
}

TEST(Suggestion, TakesAShortFormBeforeAWordOfManyEdits) {
  const std::vector<std::string> columns{"coherence", "ref", "hyp", "kendall", "kendall-like"};
  EXPECT_EQ(closest_word("reference", columns), "ref");
  EXPECT_EQ(closest_word("hypothesis", columns), "hyp");
  EXPECT_EQ(closest_word("coherance", columns), "coherence");
  EXPECT_EQ(closest_word("kendal-lik", columns), "kendall-like") << "two edits are a typing mistake";
}

TEST(Suggestion, ListsTheKnownWordsWhereNothingIsClose) {
  EXPECT_EQ(suggestion("xyzzy", kWords), "; known: bertscore, moverscore, me");
  EXPECT_EQ(suggestion("em", kWords), "; did you mean 'me'?");
}

}  // namespace
}  // namespace markeval
