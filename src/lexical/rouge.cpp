// One scorer with a branch per variant: n-grams, subsequence, summary-level, weighted, skip-bigrams.
#include "lexical/rouge.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/cancellation.hpp"
#include "base/elementary.hpp"
#include "base/sorting.hpp"
#include "lexical/common_subsequence.hpp"
#include "lexical/ngram_table.hpp"
#include "lexical/rouge_tokenizer.hpp"
#include "lexical/weighted_subsequence.hpp"
#include "lexical/word_table.hpp"

namespace markeval::lexical {
namespace {

using Words = std::vector<std::uint32_t>;

struct Score {
  double precision = 0, recall = 0, f1 = 0;
};

Score with_f1(double precision, double recall) {
  return {precision, recall, precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0};
}

struct RougeText {
  Words words;
  std::vector<std::size_t> line_ends;

  std::size_t lines() const { return line_ends.size(); }
  std::span<const std::uint32_t> line(std::size_t i) const {
    const std::size_t start = i == 0 ? 0 : line_ends[i - 1];
    return std::span(words).subspan(start, line_ends[i] - start);
  }
};

/// Pairs of words with at most `skip` words between them and single words, as sorted keys. The last word does
/// not count as a single one: ROUGE-1.5.5 stops one word early.
void skip_bigrams(const Words& words, std::size_t skip, std::vector<std::uint64_t>& keys) {
  keys.clear();
  constexpr std::uint64_t kAlone =
      WordTable::kUnknown - 1;  // no word has this number, kUnknown is a word no reference has
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::uint64_t first = std::uint64_t{words[i]} << 32;
    keys.push_back(first | kAlone);
    for (std::size_t j = i + 1; j < words.size() && j <= i + skip + 1; ++j) keys.push_back(first | words[j]);
  }
  sort_in_steps(keys, check_cancelled);
}

class RougeScorer : public SegmentScorer {
 public:
  explicit RougeScorer(const RougeOptions& options) : options_(options) {}

  void set_references(std::span<const std::string_view> references) override {
    count_ = references.size();
    if (references_.size() < count_) references_.resize(count_);
    vocabulary_.clear(64);
    for (std::size_t r = 0; r < count_; ++r) {
      RougeReference& reference = references_[r];
      RougeText& text = reference.text;
      rouge_words(references[r], options_.stem, reference.storage, words_, text.line_ends);
      text.words.clear();
      for (const auto word : words_) text.words.push_back(vocabulary_.add(word));
      if (options_.kind == RougeKind::ngram) {
        reference.ngrams.clear(text.words.size(), options_.order);
        reference.ngrams.add_reference(text.words);
      } else if (options_.kind == RougeKind::skip_bigram) {
        skip_bigrams(text.words, options_.skip, reference.keys);
      }
    }
  }

  void add_hypothesis(std::string_view hypothesis, std::span<double> row) override {
    rouge_words(hypothesis, options_.stem, storage_, words_, text_.line_ends);
    text_.words.clear();
    for (const auto word : words_) text_.words.push_back(number_of(word));
    const Score score = over_references();
    row[0] = score.precision;
    row[1] = score.recall;
    row[2] = score.f1;
  }

 private:
  struct RougeReference {
    std::string storage;
    RougeText text;
    NgramTable ngrams;
    std::vector<std::uint64_t> keys;
  };

  /// Words no reference has all match nothing, so they need no numbers of their own.
  std::uint32_t number_of(std::string_view word) const { return vocabulary_.find(word); }

  Score over_references() {
    const bool pools = options_.kind == RougeKind::weighted || options_.kind == RougeKind::skip_bigram;
    skip_bigrams_of_text();
    if (pools && options_.references == RougeReferences::usual) return pooled(references_span());
    Score best, sum;
    for (std::size_t r = 0; r < count_; ++r) {
      const Score score = pools ? pooled(references_span().subspan(r, 1)) : compare(references_[r]);
      if (r == 0 || score.f1 > best.f1) best = score;
      sum.precision += score.precision;
      sum.recall += score.recall;
      sum.f1 += score.f1;
    }
    if (options_.references != RougeReferences::mean) return best;
    const auto count = static_cast<double>(count_);
    return {sum.precision / count, sum.recall / count, sum.f1 / count};
  }

  std::span<const RougeReference> references_span() const { return std::span(references_).first(count_); }
  Score pooled(std::span<const RougeReference> references) {
    return options_.kind == RougeKind::weighted ? weighted(references) : skip_bigram(references);
  }
  void skip_bigrams_of_text() {
    if (options_.kind == RougeKind::skip_bigram) skip_bigrams(text_.words, options_.skip, keys_);
  }

  Score compare(RougeReference& reference) {
    const std::size_t in_system = text_.words.size(), in_reference = reference.text.words.size();
    if (options_.kind == RougeKind::ngram) {
      matches_.assign(options_.order, 0);
      reference.ngrams.count_matches(text_.words, matches_);
      const auto of = [&](std::size_t length) {
        return static_cast<double>(std::max<std::size_t>(ngram_total(length, options_.order), 1));
      };
      return with_f1(matches_.back() / of(in_system), matches_.back() / of(in_reference));
    }
    if (in_system == 0 || in_reference == 0) return {};
    const bool one_line = reference.text.lines() == 1 && text_.lines() == 1;
    const auto hits = static_cast<double>(options_.kind == RougeKind::subsequence || one_line
                                              ? length_(reference.text.words, text_.words, vocabulary_.size())
                                              : summary_hits(reference.text));
    return with_f1(hits / static_cast<double>(in_system), hits / static_cast<double>(in_reference));
  }

  void count_words(const RougeText& text, std::vector<std::size_t>& counts) const {
    counts.assign(vocabulary_.size(), 0);
    for (const std::uint32_t word : text.words) {
      if (word != WordTable::kUnknown) ++counts[word];
    }
  }

  /// Reference words in the union of the subsequences of its sentences with all sentences of the system; a
  /// word counts at most as often as either side has it.
  std::size_t summary_hits(const RougeText& reference) {
    count_words(reference, reference_counts_);
    count_words(text_, system_counts_);
    std::size_t hits = 0;
    for (std::size_t i = 0; i < reference.lines(); ++i) {
      const auto sentence = reference.line(i);
      hit_.assign(sentence.size(), 0);
      for (std::size_t j = 0; j < text_.lines(); ++j) mark_common_subsequence(sentence, text_.line(j), hit_);
      for (std::size_t w = 0; w < sentence.size(); ++w) {
        if (hit_[w] && take(sentence[w])) ++hits;
      }
    }
    return hits;
  }

  bool take(std::uint32_t word) {
    if (reference_counts_[word] == 0 || system_counts_[word] == 0) return false;
    --reference_counts_[word];
    --system_counts_[word];
    return true;
  }

  double weighted_length(double length) const { return elementary::pow(length, options_.weight); }

  Score weighted(std::span<const RougeReference> references) {
    double hits = 0, in_reference = 0, in_system = 0;
    for (const RougeReference& one : references) {
      const RougeText& reference = one.text;
      count_words(reference, reference_counts_);
      count_words(text_, system_counts_);
      double base = 0;
      for (std::size_t i = 0; i < reference.lines(); ++i) {
        base += weighted_length(static_cast<double>(reference.line(i).size()));
        hits += weighted_hits(reference.line(i));
      }
      in_reference += options_.weight_once ? base : weighted_length(base);
      in_system += weighted_length(static_cast<double>(text_.words.size()));
    }
    const auto ratio = [&](double base) {
      return base > 0 ? elementary::pow(hits / base, 1 / options_.weight) : 0;
    };
    return with_f1(ratio(in_system), ratio(in_reference));
  }

  double weighted_hits(std::span<const std::uint32_t> sentence) {
    hit_.assign(sentence.size(), 0);
    for (std::size_t j = 0; j < text_.lines(); ++j) {
      mark_weighted_subsequence(sentence, text_.line(j), options_.weight, hit_);
    }
    double hits = 0;
    std::size_t run = 0;
    for (std::size_t w = 0; w < sentence.size(); ++w) {
      if (!hit_[w] || !take(sentence[w])) continue;
      ++run;
      if (w + 1 == sentence.size() || !hit_[w + 1]) {
        hits += weighted_length(static_cast<double>(run));
        run = 0;
      }
    }
    return hits;
  }

  Score skip_bigram(std::span<const RougeReference> references) const {
    std::size_t hits = 0, in_reference = 0, in_system = 0;
    for (const RougeReference& reference : references) {
      // Words only the system has share one number, but never a key with the reference.
      std::vector<std::uint64_t> common;
      std::ranges::set_intersection(reference.keys, keys_, std::back_inserter(common));
      hits += common.size();
      in_reference += reference.keys.size();
      in_system += keys_.size();
    }
    const auto ratio = [&](std::size_t base) {
      return base > 0 ? static_cast<double>(hits) / static_cast<double>(base) : 0.0;
    };
    return with_f1(ratio(in_system), ratio(in_reference));
  }

  RougeOptions options_;
  std::vector<RougeReference> references_;
  std::size_t count_ = 0;
  WordTable vocabulary_;
  std::string storage_;
  std::vector<std::string_view> words_;
  RougeText text_;
  std::vector<std::uint32_t> matches_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint8_t> hit_;
  std::vector<std::size_t> reference_counts_, system_counts_;
  SubsequenceLength length_;
};

}  // namespace

std::vector<SegmentStatistics> rouge_statistics(const ScoredTexts& corpus, const RougeOptions& options,
                                                const RunContext& context) {
  if (options.kind == RougeKind::ngram && options.order == 0)
    throw_usage("ROUGE order is 0, expected 1 or more");
  if (!(options.weight >= 1)) throw_usage("ROUGE-W weight is below 1");
  return collect_statistics(
      corpus, kRougeColumns, [&] { return std::make_unique<RougeScorer>(options); }, context);
}

}  // namespace markeval::lexical
