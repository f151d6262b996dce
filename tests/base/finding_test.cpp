#include "base/finding.hpp"

#include <gtest/gtest.h>

#include "base/packing.hpp"

#include "base/told_findings.hpp"

namespace markeval {
namespace {

TEST(Finding, IsNoWarningWhereNothingWasCounted) {
  EXPECT_EQ(text_of({FindingKind::empty_lines, {"ref"}, {0, 10}}), "");
  EXPECT_EQ(text_of({FindingKind::cut_texts, {"ref", "the model takes"}, {0, 5, 0, 50, 0, 0, 0, 0}}), "");
  EXPECT_EQ(text_of({FindingKind::unread_tokens, {"ref", "tiny"}, {2, 0, 9, 0, 0, 0, 7, 7, 0, 0, 0}}), "");
  EXPECT_EQ(text_of({FindingKind::without_weight, {"bertscore", "mine", "0"}, {0, 10}}), "");
  EXPECT_EQ(text_of({FindingKind::repeats, {"system mine", "texts"}, {19, 20}}), "");
  EXPECT_EQ(text_of({FindingKind::repeats, {"system mine", "texts"}, {1, 19}}), "");
}

TEST(Finding, SaysWhatWasCounted) {
  EXPECT_EQ(text_of({FindingKind::empty_lines, {"ref"}, {2, 10}}), "ref: 2 of 10 lines are empty");
  EXPECT_EQ(text_of({FindingKind::replaced_parts, {"ref"}, {2}}), "ref: 2 invalid parts replaced by U+FFFD");
  EXPECT_EQ(
      text_of({FindingKind::cut_texts, {"ref", "--max-length 8"}, {0, 0, 0, 0, 2, 4, 25, 75}}),
      "ref: 2 of 4 texts are longer than --max-length 8 and were cut (25 % of all tokens); --long window "
      "reads them whole");
  EXPECT_EQ(text_of({FindingKind::repeats, {"system mine", "texts"}, {18, 20}}),
            "system mine repeats itself: 18 distinct of 20 texts");
  EXPECT_EQ(
      text_of({FindingKind::unread_words, {"mine", "g.txt", "are left out"}, {2, 8}}),
      "mine: 2 of 10 words (20 %) are not in g.txt and are left out; is it of the language of the texts?");
  EXPECT_EQ(text_of({FindingKind::unread_words, {"mine", "g.txt", "are left out"}, {1, 9}}), "");
  EXPECT_EQ(text_of({FindingKind::too_small_segments, {"mine", "me", " and score 0"}, {1, 3}}),
            "mine: me: 1 of 3 segments have fewer than two rows and score 0");
}

TEST(Finding, OfCopiesNamesTheShare) {
  EXPECT_EQ(text_of({FindingKind::copies, {"mine", "texts"}, {20, 1000}}), "");
  EXPECT_EQ(
      text_of({FindingKind::copies, {"mine", "texts"}, {90, 1000}}),
      "mine: 90 of 1000 texts (9 %) stand in the reference word for word, and set metrics count that as "
      "likeness");
}

TEST(Finding, OfLinesThatAreNoPairs) {
  EXPECT_EQ(text_of({FindingKind::not_pairs, {"mine"}, {90, 10}}), "");
  EXPECT_EQ(text_of({FindingKind::not_pairs, {"mine"}, {6, 5}}), "") << "too few lines";
  EXPECT_EQ(
      text_of({FindingKind::not_pairs, {"mine"}, {55, 45}}),
      "mine: its lines are no nearer to their own reference line than to the next one; if these are two "
      "sets of texts and no pairs, take --preset lm");
}

TEST(Finding, OfTokensLooksAtSentencesWhereNoTokensWereRead) {
  const std::string warning =
      text_of({FindingKind::unread_tokens, {"system mine", "tiny"}, {0, 0, 0, 3, 5, 10, 30, 30, 0, 0, 0}});
  EXPECT_TRUE(warning.starts_with("system mine: 5 of 10 tokens (50 %) are unknown to tiny; ")) << warning;
}

TEST(Packing, GivesBackWhatWasPacked) {
  Packer packer;
  packer.add(std::uint64_t{7});
  packer.add(std::string_view("word"));
  const std::vector<double> values{1.5, -0.0};
  packer.add(std::span<const double>(values));
  const std::string bytes = packer.take();
  Unpacker unpacker(bytes);
  EXPECT_EQ(unpacker.count(), 7u);
  EXPECT_EQ(unpacker.text(), "word");
  EXPECT_EQ(unpacker.numbers<double>(), values);
  EXPECT_TRUE(unpacker.done());
}

TEST(Packing, OfBytesThatEndTooSoonIsAnError) {
  Packer packer;
  packer.add(std::string_view("a longer text"));
  const std::string bytes = packer.take();
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(Unpacker(std::string_view(bytes).substr(0, size)).text(), Error) << size;
  Packer huge;
  huge.add(std::uint64_t{1} << 62);
  const std::string count = huge.take();
  EXPECT_THROW(Unpacker(count).numbers<double>(), Error);
  EXPECT_THROW(Unpacker(count).size(), Error);
}

TEST(ToldFindings, AreBoundedInNumber) {
  ToldFindings told;
  std::size_t warnings = 0;
  std::string last;
  for (int reference = 1; reference <= 1000; ++reference) {
    const std::string text = told.text_to_tell(
        {FindingKind::equals_reference, {"mine", std::to_string(reference), "1000"}, {5, 0}});
    if (!text.empty()) ++warnings, last = text;
  }
  EXPECT_EQ(warnings, 20u);
  EXPECT_TRUE(last.ends_with("(more warnings of this kind are left out)")) << last;
  EXPECT_NE(told.text_to_tell({FindingKind::empty_lines, {"a.txt"}, {1, 5}}), "") << "another kind";
}

TEST(ToldFindings, NameACauseOnce) {
  ToldFindings told;
  const Finding references{
      FindingKind::unread_letters, {"rouge1", "the references", kReadsAscii, "", ""}, {9, 0, 9, 0, 0}};
  Finding system = references, other = references;
  system.words[1] = "system mine";
  other.words[0] = "rouge2";
  EXPECT_NE(told.text_to_tell(references), "");
  EXPECT_EQ(told.text_to_tell(system), "") << "the same script, the same metric";
  EXPECT_NE(told.text_to_tell(other), "");
}

}  // namespace
}  // namespace markeval
