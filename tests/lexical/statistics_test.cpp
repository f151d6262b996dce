// Properties and edges of the lexical metrics; their exact values are in golden_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/random.hpp"
#include "lexical/bleu.hpp"
#include "lexical/chrf.hpp"
#include "lexical/cider.hpp"
#include "lexical/common_subsequence.hpp"
#include "lexical/levenshtein.hpp"
#include "lexical/resampling.hpp"
#include "lexical/rouge.hpp"
#include "lexical/rouge_embedding.hpp"
#include "lexical/ter.hpp"
#include "lexical/tfidf.hpp"
#include "lexical/word_table.hpp"

namespace markeval::lexical {
namespace {

ScoredTexts corpus_of(std::vector<std::vector<std::string_view>> references,
                      std::vector<std::string_view> system) {
  return {std::move(references), {std::move(system)}};
}

struct Machine {
  explicit Machine(std::size_t threads = 1) : pool(threads) {}
  ThreadPool pool;
  RunContext context{pool};
};

double bleu_of(const ScoredTexts& corpus, const BleuOptions& options = {}) {
  Machine run;
  return bleu_score(bleu_statistics(corpus, options, run.context)[0].sum(), options).score;
}

TEST(Bleu, OfACopyIsAHundred) {
  EXPECT_NEAR(bleu_of(corpus_of({{"a b c d e"}, {"f g h i, j"}}, {"a b c d e", "f g h i, j"})), 100, 1e-9);
}

TEST(Bleu, OfEmptyTextIsZero) {
  EXPECT_EQ(bleu_of(corpus_of({{"a b"}}, {""})), 0);
  EXPECT_EQ(bleu_of(corpus_of({{""}}, {"a b"})), 0);
  EXPECT_EQ(bleu_of(corpus_of({{""}}, {""})), 0);
}

TEST(Bleu, TakesTheClosestReferenceLengthAndTheShorterOfTwo) {
  Machine run;
  const auto rows = bleu_statistics(corpus_of({{"a b c d", "a b"}}, {"a b c"}), {}, run.context);
  EXPECT_EQ(rows[0].row(0)[1], 2);
}

TEST(Bleu, RefusesAnOrderOfZero) {
  Machine run;
  BleuOptions no_order;
  no_order.max_order = 0;
  EXPECT_THROW(bleu_statistics(corpus_of({{"a"}}, {"a"}), no_order, run.context), Error);
}

TEST(Statistics, AreTheSameForAnyNumberOfThreads) {
  std::vector<std::string> lines;
  RandomStream random(5, 0);
  for (int i = 0; i < 500; ++i) {
    std::string line;
    for (std::uint64_t n = random.below(30); n > 0; --n)
      line.append(1, static_cast<char>('a' + random.below(5))).append(1, ' ');
    lines.push_back(line);
  }
  ScoredTexts corpus;
  for (std::size_t i = 0; i < lines.size(); ++i) corpus.references.push_back({lines[i]});
  corpus.systems.push_back({lines.rbegin(), lines.rend()});
  Machine one(1), four(4);
  EXPECT_EQ(bleu_statistics(corpus, {}, one.context)[0].values,
            bleu_statistics(corpus, {}, four.context)[0].values);
  EXPECT_EQ(ter_statistics(corpus, {}, one.context)[0].values,
            ter_statistics(corpus, {}, four.context)[0].values);
}

TEST(ScoredTexts, NamesWhatDoesNotFit) {
  const auto message = [](const ScoredTexts& corpus) {
    try {
      corpus.check();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(corpus_of({}, {})), "no segment to score");
  EXPECT_EQ(message(corpus_of({{"a"}, {}}, {"a", "b"})), "segment 2 has no reference");
  EXPECT_EQ(message(corpus_of({{"a"}}, {"a", "b"})), "system 1 has 2 segments, the references have 1");
}

TEST(Chrf, OfACopyIsAHundredAndOfStrangersZero) {
  Machine run;
  const auto score = [&](std::string_view reference, std::string_view system) {
    return chrf_score(chrf_statistics(corpus_of({{reference}}, {system}), {}, run.context)[0].sum(), {});
  };
  EXPECT_NEAR(score("the boats", "the boats"), 100, 1e-9);
  EXPECT_NEAR(score("the boats", "theboats"), 100, 1e-9);  // white space does not count
  EXPECT_EQ(score("abc", "xyz"), 0);
  EXPECT_EQ(score("", ""), 0);
}

std::vector<double> ter_row(std::vector<std::string_view> references, std::string_view system) {
  Machine run;
  return ter_statistics(corpus_of({std::move(references)}, {system}), {}, run.context)[0].values;
}

TEST(Ter, CountsAShiftOfAPhraseAsOneEdit) {
  EXPECT_EQ(ter_row({"a b c d e f"}, "d e f a b c"), (std::vector<double>{1, 6}));
}

TEST(Ter, TakesTheFewestEditsAndTheMeanLength) {
  EXPECT_EQ(ter_row({"a b c", "x y z w"}, "x y z"), (std::vector<double>{1, 3.5}));
}

TEST(Ter, CountsEveryWordOfAnEmptySide) {
  EXPECT_EQ(ter_row({""}, "a b"), (std::vector<double>{2, 0}));
  EXPECT_EQ(ter_row({"a b"}, ""), (std::vector<double>{2, 2}));
  EXPECT_EQ(ter_score(std::vector<double>{2, 0}), 100);
  EXPECT_EQ(ter_score(std::vector<double>{0, 0}), 0);
}

TEST(SubsequenceLength, EqualsTheTableForTextsOfSeveralBlocks) {
  RandomStream random(3, 0);
  SubsequenceLength length;
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint32_t> a(random.below(200)), b(random.below(200));
    for (auto& word : a) word = static_cast<std::uint32_t>(random.below(12));
    for (auto& word : b)
      word = random.below(9) == 0 ? WordTable::kUnknown : static_cast<std::uint32_t>(random.below(12));
    std::vector<std::uint8_t> hit(a.size(), 0);
    mark_common_subsequence(a, b, hit);
    ASSERT_EQ(length(a, b, 12), static_cast<std::size_t>(std::count(hit.begin(), hit.end(), 1)));
  }
}

std::vector<double> rouge_row(const RougeOptions& options, std::vector<std::string_view> references,
                              std::string_view system) {
  Machine run;
  return rouge_statistics(corpus_of({std::move(references)}, {system}), options, run.context)[0].values;
}

// By hand from the rules of ROUGE-1.5.5 with -w 1.2: "a b c d" against "a b x d" matches runs of 2 and 1.
TEST(RougeW, WeighsConsecutiveMatches) {
  const double hits = std::pow(2, 1.2) + 1, length = std::pow(4, 1.2);
  const auto row = rouge_row({.kind = RougeKind::weighted, .weight_once = true}, {"a b c d"}, "a b x d");
  EXPECT_NEAR(row[0], std::pow(hits / length, 1 / 1.2), 1e-12);
  EXPECT_NEAR(row[1], row[0], 1e-12);
  const auto as_published = rouge_row({.kind = RougeKind::weighted}, {"a b c d"}, "a b x d");
  EXPECT_NEAR(as_published[1], std::pow(hits / std::pow(length, 1.2), 1 / 1.2), 1e-12);
}

// "police killed the gunman": 3 single words (the last does not count) and 6 pairs; Lin 2004, section 5.
TEST(RougeSU, CountsPairsAndAllSingleWordsButTheLast) {
  const auto row =
      rouge_row({.kind = RougeKind::skip_bigram}, {"police killed the gunman"}, "police kill the gunman");
  EXPECT_NEAR(row[0], (2 + 3) / 9.0, 1e-12);
  EXPECT_NEAR(row[1], row[0], 1e-12);
}

TEST(RougeSU, PoolsReferences) {
  const auto row = rouge_row({.kind = RougeKind::skip_bigram}, {"a b", "c d e"}, "a b");
  EXPECT_NEAR(row[0], 2 / 4.0, 1e-12);
  EXPECT_NEAR(row[1], 2 / 7.0, 1e-12);
}

TEST(RougeN, DoesNotTakeAnUnknownWordForAMatch) {
  EXPECT_EQ(rouge_row({.kind = RougeKind::skip_bigram}, {"a b c"}, "x y z"), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(rouge_row({}, {""}, ""), (std::vector<double>{0, 0, 0}));
}

TEST(Rouge, OfSeveralReferencesIsTheBestTheMeanOrPooled) {
  for (const RougeKind kind : {RougeKind::ngram, RougeKind::subsequence, RougeKind::summary,
                               RougeKind::weighted, RougeKind::skip_bigram}) {
    RougeOptions options{.kind = kind};
    const auto first = rouge_row(options, {"a b c d"}, "a b x d"),
               second = rouge_row(options, {"a y"}, "a b x d");
    ASSERT_GT(first[2], second[2]);
    const std::vector<std::string_view> both{"a y", "a b c d"};
    options.references = RougeReferences::best;
    EXPECT_EQ(rouge_row(options, both, "a b x d"), first);
    options.references = RougeReferences::mean;
    const auto mean = rouge_row(options, both, "a b x d");
    for (std::size_t i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(mean[i], (first[i] + second[i]) / 2);
    options.references = RougeReferences::usual;
    const bool pools = kind == RougeKind::weighted || kind == RougeKind::skip_bigram;
    EXPECT_EQ(rouge_row(options, both, "a b x d") == first, !pools);
  }
}

std::vector<double> rouge_we_row(std::string_view reference, std::string_view system, std::size_t order = 1) {
  Machine run;
  static const std::vector<float> boat{1, 0.1f}, ship{1, 0}, cold{0, 1};
  const auto lookup = [](std::string_view word) -> std::span<const float> {
    if (word == "boat") return boat;
    if (word == "ship") return ship;
    if (word == "cold") return cold;
    return {};
  };
  RougeEmbeddingOptions options;
  options.order = order;
  return rouge_embedding_statistics(corpus_of({{reference}}, {system}), options, lookup, run.context)[0]
      .values;
}

TEST(RougeWE, MatchesWordsWithSimilarVectors) {
  EXPECT_EQ(rouge_we_row("the cold ship", "the boat"), (std::vector<double>{1, 2 / 3.0, 0.8}));
  EXPECT_EQ(rouge_we_row("the ship", "ship the", 2), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(rouge_we_row("cold ship", "cold boat", 2)[2], 1);
}

TEST(RougeWE, LetsAReferenceWordBeTakenAsOftenAsItIsThere) {
  EXPECT_EQ(rouge_we_row("ship", "boat ship")[0], 0.5);
  EXPECT_EQ(rouge_we_row("", "boat"), (std::vector<double>{0, 0, 0}));
}

TEST(RougeWE, RefusesMoreNgramsThanItCanPair) {
  std::string text;
  for (int i = 0; i < 17'000; ++i) text.append("w").append(std::to_string(i)).append(" ");
  try {
    rouge_we_row(text, text);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "texts of 17000 and 17000 different n-grams are too long to compare, at most 2^28 pairs");
  }
}

TEST(Cider, WithoutClippingIsTheCosine) {
  Machine run;
  CiderOptions plain;
  plain.robust = false;
  plain.max_order = 1;
  const ScoredTexts corpus{{{"a b"}, {"c d"}, {"e f"}}, {{"a a b b", "c x", "e f"}}};
  const auto values = cider_statistics(corpus, plain, run.context)[0].values;
  EXPECT_NEAR(values[0], 10, 1e-12);
  EXPECT_NEAR(values[1], 5, 1e-12);
}

TEST(Tfidf, OfACopyIsOneAndOfStrangersZero) {
  Machine run;
  const ScoredTexts corpus{{{"The boats sink."}, {"Nothing"}}, {{"the boats sink .", "at all"}}};
  const auto values = tfidf_statistics(corpus, {}, run.context)[0].values;
  EXPECT_NEAR(values[0], 1, 1e-12);
  EXPECT_EQ(values[1], 0);
}

TEST(Tfidf, OfPairsOfWordsAndTheMeanOverReferences) {
  Machine run;
  const ScoredTexts corpus{{{"a b c", "c b a"}}, {{"a b c"}}};
  TfidfOptions options;
  options.order = 2;
  EXPECT_NEAR(tfidf_statistics(corpus, options, run.context)[0].values[0], 1, 1e-12);
  options.mean = true;
  EXPECT_NEAR(tfidf_statistics(corpus, options, run.context)[0].values[0], 0.5, 1e-12)
      << "the second reference has the words, but no pair of them";
  const ScoredTexts too_short{{{"a b c"}}, {{"a"}}};
  EXPECT_EQ(tfidf_statistics(too_short, options, run.context)[0].values[0], 0);
}

TEST(Levenshtein, EqualsThePlainTableForTextsOfSeveralBlocks) {
  RandomStream random(8, 0);
  Levenshtein distance;
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint32_t> a(random.below(180)), b(random.below(180));
    for (auto& symbol : a) symbol = static_cast<std::uint32_t>(random.below(4));
    for (auto& symbol : b) symbol = static_cast<std::uint32_t>(random.below(4));
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 0; i < a.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i + 1;
      for (std::size_t j = 1; j < row.size(); ++j) {
        const std::size_t above = row[j];
        row[j] = std::min({diagonal + (a[i] == b[j - 1] ? 0 : 1), above + 1, row[j - 1] + 1});
        diagonal = above;
      }
    }
    ASSERT_EQ(distance(a, b, 4), row.back());
  }
}

TEST(PairedTests, FindNoDifferenceBetweenEqualSystems) {
  ScoredTexts corpus =
      corpus_of({{"a b c d e"}, {"f g h i j"}, {"k l m n o"}}, {"a b c d x", "f g h y j", "k z m n o"});
  corpus.systems.push_back(corpus.systems[0]);
  Machine run;
  const auto statistics = bleu_statistics(corpus, {}, run.context);
  const auto score = [](std::span<const PythonNumber> row) { return bleu_resampled_score(row, {}); };
  const auto scores = bootstrap_scores(statistics, 100, 1, score, run.context);
  EXPECT_EQ(paired_bootstrap_p_value(50, 50, scores[0], scores[1]),
            1.0 / 101);  // none exceeds 0: as sacrebleu
  const SystemPair pair{0, 1};
  EXPECT_EQ(paired_randomization(statistics, {&pair, 1}, 100, 1, score, run.context)[0], 1.0 / 101);
}

TEST(PairedTests, DoNotMindWhichSystemComesFirst) {
  ScoredTexts corpus = corpus_of({{"a b c d e"}, {"f g h i j"}, {"k l m n o"}, {"p q r s t"}},
                                 {"a b c d x", "f g h y j", "k z m n o", "p q"});
  corpus.systems.push_back({"a b c d e", "f g", "k l m n o", "p q r s x"});
  Machine run;
  const auto statistics = bleu_statistics(corpus, {}, run.context);
  const auto score = [](std::span<const PythonNumber> row) { return bleu_resampled_score(row, {}); };
  const std::vector<SystemPair> pairs{{0, 1}, {1, 0}};
  const auto p_values = paired_randomization(statistics, pairs, 500, 1, score, run.context);
  EXPECT_EQ(p_values[0], p_values[1]);
  EXPECT_GT(p_values[0], 0.1);
  const auto scores = bootstrap_scores(statistics, 500, 1, score, run.context);
  EXPECT_EQ(paired_bootstrap_p_value(40, 45, scores[0], scores[1]),
            paired_bootstrap_p_value(45, 40, scores[1], scores[0]));
}

}  // namespace
}  // namespace markeval::lexical
