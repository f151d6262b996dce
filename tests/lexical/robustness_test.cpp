// Whatever comes in, the metrics stay defined: damaged UTF-8, odd characters, nothing at all, a megabyte in
// one line.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>

#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "lexical/bleu.hpp"
#include "lexical/character.hpp"
#include "lexical/chrf.hpp"
#include "lexical/cider.hpp"
#include "lexical/edit_rates.hpp"
#include "lexical/meteor.hpp"
#include "lexical/nist.hpp"
#include "lexical/rouge.hpp"
#include "lexical/ter.hpp"
#include "lexical/tfidf.hpp"
#include "support/temp_folder.hpp"

namespace markeval::lexical {
namespace {

/// Every metric with every tokeniser on one pair; each statistic must be a finite number that is not
/// negative.
void score_everything(std::string_view reference, std::string_view system) {
  ThreadPool pool(1);
  const RunContext context{pool};
  const ScoredTexts corpus{{{reference, system}, {reference}}, {{system, system}}};
  const auto check = [&](const std::vector<SegmentStatistics>& statistics) {
    for (const double value : statistics[0].values) ASSERT_TRUE(std::isfinite(value) && value >= 0);
  };
  for (const char* tokenizer : {"13a", "intl", "char", "zh", "none"}) {
    BleuOptions options;
    options.tokenization = bleu_tokenization(tokenizer);
    options.lowercase = true;
    const auto statistics = bleu_statistics(corpus, options, context);
    check(statistics);
    ASSERT_TRUE(std::isfinite(bleu_score(statistics[0].sum(), options).score));
  }
  for (const bool whitespace : {false, true}) {
    const ChrfOptions options{
        .word_order = 2, .lowercase = true, .whitespace = whitespace, .eps_smoothing = whitespace};
    const auto statistics = chrf_statistics(corpus, options, context);
    check(statistics);
    ASSERT_TRUE(std::isfinite(chrf_score(statistics[0].sum(), options)));
  }
  for (int flags = 0; flags < 4; ++flags) {
    const TerOptions options{
        .normalized = (flags & 1) != 0, .no_punct = (flags & 2) != 0, .asian_support = true};
    check(ter_statistics(corpus, options, context));
  }
  for (const RougeKind kind : {RougeKind::ngram, RougeKind::subsequence, RougeKind::summary,
                               RougeKind::weighted, RougeKind::skip_bigram}) {
    check(rouge_statistics(corpus, {.kind = kind, .stem = true}, context));
  }
  check(meteor_statistics(corpus, {}, context));
  check(nist_statistics(corpus, {}, context));
  check(cider_statistics(corpus, {}, context));
  check(character_statistics(corpus, {}, context));
  check(tfidf_statistics(corpus, {}, context));
}

// What grows with the square of a text's length looks at the flag inside of one segment, not between segments
// only.
TEST(Robustness, OneLongSegmentCanBeStopped) {
  ThreadPool pool(1);
  const RunContext context{pool};
  const std::atomic<bool> stop{true};
  const CancelScope scope(&stop);
  const std::string text = "a b c d e f", other = "b a c e d g";
  const ScoredTexts corpus{{{text}}, {{other}}};
  EXPECT_ERROR(ter_statistics(corpus, {}, context), ErrorCode::cancelled, "stopped on request");
  EXPECT_ERROR(character_statistics(corpus, {}, context), ErrorCode::cancelled, "stopped on request");
  EXPECT_ERROR(bleu_statistics(corpus, {}, context), ErrorCode::cancelled, "stopped on request");
  EXPECT_ERROR(chrf_statistics(corpus, {}, context), ErrorCode::cancelled, "stopped on request");
  EXPECT_ERROR(nist_statistics(corpus, {}, context), ErrorCode::cancelled, "stopped on request");
  EXPECT_ERROR(cider_statistics(corpus, {}, context), ErrorCode::cancelled, "stopped on request");
  for (const RougeKind kind :
       {RougeKind::subsequence, RougeKind::summary, RougeKind::weighted, RougeKind::skip_bigram})
    EXPECT_ERROR(rouge_statistics(corpus, {.kind = kind}, context), ErrorCode::cancelled,
                 "stopped on request");
  for (const EditRate rate : {EditRate::words, EditRate::characters, EditRate::blocks})
    EXPECT_ERROR(edit_statistics(corpus, {rate}, context), ErrorCode::cancelled, "stopped on request");
}

TEST(Robustness, EveryMetricTakesEmptyAndOddText) {
  const std::string_view texts[] = {"",
                                    " ",
                                    "\t\n",
                                    "\xff\xfe",
                                    "\xef\xbb\xbf",
                                    std::string_view("a\0b", 3),
                                    "\xf4\x8f\xbf\xbf",
                                    ".",
                                    "'s",
                                    "&amp;",
                                    "e\xcc\x81",
                                    "-",
                                    "5.",
                                    "\xe3\x81\x82"};
  for (const auto reference : texts) {
    for (const auto system : texts) score_everything(reference, system);
  }
}

/// Mutations of a few seeds: bytes flipped, cut, doubled, joined. Bounded to a second or two under the
/// sanitizers.
TEST(Robustness, EveryMetricTakesMutatedBytes) {
  const std::string seeds[] = {"The cat's 3.5% (sat) on <skipped> &quot;mats&quot; - it's 10-20, isn't it?",
                               "你好，世界。 ΟΔΥΣΣΕΥΣ İstanbul 日本語カタカナ", "a a a b b c a a b b c c a",
                               "\xf0\x9f\x98\x80 \xe2\x84\xaa ..,,--"};
  RandomStream random(2026, 0);
  for (int round = 0; round < 400; ++round) {
    std::string texts[2];
    for (auto& text : texts) {
      text = seeds[random.below(4)] + seeds[random.below(4)];
      for (std::uint64_t n = random.below(12); n > 0 && !text.empty(); --n) {
        const std::size_t at = random.below(text.size());
        switch (random.below(4)) {
          case 0:
            text[at] = static_cast<char>(random.below(256));
            break;
          case 1:
            text.erase(at, random.below(9));
            break;
          case 2:
            text.insert(at, text.substr(random.below(text.size()), random.below(20)));
            break;
          default:
            text.insert(at, 1, static_cast<char>(random.below(256)));
        }
      }
    }
    score_everything(texts[0], texts[1]);
  }
}

TEST(Robustness, ALineOfAMegabyteIsScored) {
  std::string text, other;
  RandomStream random(1, 0);
  while (text.size() < 1'000'000)
    text.append("word").append(std::to_string(random.below(5000))).append(random.below(9) == 0 ? ". " : " ");
  other = text;
  for (int i = 0; i < 2000; ++i) other[random.below(other.size())] = 'x';
  ThreadPool pool(1);
  const RunContext context{pool};
  const ScoredTexts corpus{{{text}}, {{other}}};
  EXPECT_GT(bleu_score(bleu_statistics(corpus, {}, context)[0].sum(), {}).score, 90);
  EXPECT_GT(chrf_score(chrf_statistics(corpus, {}, context)[0].sum(), {}), 90);
  EXPECT_LT(ter_score(ter_statistics(corpus, {}, context)[0].sum()), 5);
  EXPECT_GT(rouge_statistics(corpus, {}, context)[0].values[2], 0.9);
}

TEST(Robustness, SentencesTooLongForATableAreRefusedWithTheirSize) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text.append("w").append(std::to_string(i % 7)).append(" ");
  const std::string two_lines = text + "\n" + text;
  ThreadPool pool(1);
  const RunContext context{pool};
  try {
    rouge_statistics(ScoredTexts{{{two_lines}}, {{two_lines}}}, {.kind = RougeKind::summary}, context);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "sentences of 20000 and 20000 words are too long to compare, at most 2^28 pairs of words");
  }
}

TEST(Robustness, TextsWithTooManyShiftsAreRefusedWithTheirSize) {
  std::string text, other(600'000, 'x');
  for (int i = 0; i < 5000; ++i) text.append(i % 2 == 0 ? "a " : "b ");
  ThreadPool pool(1);
  const RunContext context{pool};
  const auto message = [&](std::string_view reference, std::string_view line) -> std::string {
    try {
      character_statistics(ScoredTexts{{{reference}}, {{line}}}, {}, context);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(text, "c " + text),
            "texts of 5001 and 5000 words with 12500000 possible shifts are too long to compare");
  EXPECT_EQ(message(other, other + "y"), "texts of 600001 and 600000 characters are too long to compare");
}

}  // namespace
}  // namespace markeval::lexical
