// Document frequencies of the references first; then per segment the cosine of each order with each
// reference, averaged over the orders.
#include "lexical/cider.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>

#include "base/cancellation.hpp"
#include "base/elementary.hpp"
#include "lexical/ngram_counts.hpp"
#include "lexical/ngram_table.hpp"
#include "lexical/word_table.hpp"

namespace markeval::lexical {
namespace {

/// In how many segments' references each n-gram appears.
struct Documents {
  std::deque<std::string> storage;  // never moves: the table points into it
  WordTable words;
  NgramCounts ngrams;
  double log_segments;

  Documents(const ScoredTexts& corpus, const CiderOptions& options)
      : log_segments(elementary::log(static_cast<double>(corpus.segments()))) {
    BleuTokenizer tokenizer(options.tokenization, options.lowercase);
    std::vector<std::string_view> line;
    std::vector<std::size_t> last_seen{0};  // by node: the segment, counted from 1
    words.clear(1024);
    for (std::size_t segment = 0; segment < corpus.segments(); ++segment) {
      for (const auto reference : corpus.references[segment]) {
        tokenizer.tokenize(reference, storage.emplace_back(), line);
        require_countable(line.size(), options.max_order);
        for (std::size_t start = 0; start < line.size(); ++start) {
          check_cancelled();
          std::uint32_t node = NgramCounts::kRoot;
          for (std::size_t n = 0; n < options.max_order && start + n < line.size(); ++n) {
            node = ngrams.add(node, words.add(line[start + n]));
            if (node == last_seen.size()) last_seen.push_back(0);
            if (last_seen[node] != segment + 1) ngrams.counts[node] += 1;
            last_seen[node] = segment + 1;
          }
        }
      }
    }
  }
};

class CiderScorer : public SegmentScorer {
 public:
  CiderScorer(const CiderOptions& options, const Documents& documents)
      : options_(options),
        documents_(documents),
        tokenizer_(options.tokenization, options.lowercase),
        value_of_reference_(documents.ngrams.size(), 0.0) {}

  void set_references(std::span<const std::string_view> references) override {
    references_.resize(references.size());
    for (std::size_t r = 0; r < references.size(); ++r) read(references[r], references_[r]);
  }

  void add_hypothesis(std::string_view hypothesis, std::span<double> row) override {
    read(hypothesis, hypothesis_);
    double sum = 0, best = 0;
    for (const CiderVector& reference : references_) {
      const double found = similarity(reference);
      sum += found;
      best = std::max(best, found);
    }
    row[0] = 10.0 * (options_.best ? best : sum) / static_cast<double>(options_.max_order);
    if (!options_.best) row[0] /= static_cast<double>(references_.size());
  }

 private:
  struct WeightedNgram {
    std::size_t order;
    std::uint32_t node;  // among the references' n-grams, or kNone
    double value;        // tf-idf
  };
  struct CiderVector {
    std::vector<WeightedNgram> entries;
    std::vector<double> squares;  // by order: the squared length
    double length = 0;            // in bigrams, as pycocoevalcap measures it
  };

  void read(std::string_view line, CiderVector& vector) {
    tokenizer_.tokenize(line, storage_, words_);
    require_countable(words_.size(), options_.max_order);
    local_words_.clear(words_.size());
    local_.clear();
    places_.assign(1, {0, NgramCounts::kRoot});
    for (std::size_t start = 0; start < words_.size(); ++start) {
      check_cancelled();
      std::uint32_t node = NgramCounts::kRoot, known = NgramCounts::kRoot;
      for (std::size_t n = 0; n < options_.max_order && start + n < words_.size(); ++n) {
        node = local_.add(node, local_words_.add(words_[start + n]));
        known = documents_.ngrams.find(known, documents_.words.find(words_[start + n]));
        if (node == places_.size()) places_.push_back({n, known});
        local_.counts[node] += 1;
      }
    }
    vector.entries.clear();
    vector.squares.assign(options_.max_order, 0.0);
    vector.length = 0;
    for (std::uint32_t node = 1; node < local_.size(); ++node) {
      if (node % 256 == 0) check_cancelled();
      const auto [order, known] = places_[node];
      const double frequency =
          known == NgramCounts::kNone ? 1 : std::max(1.0, documents_.ngrams.counts[known]);
      const double value = local_.counts[node] * (documents_.log_segments - elementary::log(frequency));
      vector.entries.push_back({order, known, value});
      vector.squares[order] += value * value;
      if (order == 1) vector.length += local_.counts[node];
    }
  }

  /// Summed over the orders.
  double similarity(const CiderVector& reference) {
    for (const WeightedNgram& entry : reference.entries) value_of_reference_[entry.node] = entry.value;
    std::vector<double> products(options_.max_order, 0.0);
    for (const WeightedNgram& entry : hypothesis_.entries) {
      if (entry.node == NgramCounts::kNone) continue;
      const double other = value_of_reference_[entry.node];
      products[entry.order] += (options_.robust ? std::min(entry.value, other) : entry.value) * other;
    }
    for (const WeightedNgram& entry : reference.entries) value_of_reference_[entry.node] = 0;
    const double difference = hypothesis_.length - reference.length;
    const double penalty =
        options_.robust ? elementary::exp(-(difference * difference) / (2 * options_.sigma * options_.sigma))
                        : 1;
    double sum = 0;
    for (std::size_t n = 0; n < options_.max_order; ++n) {
      // One root of the product: of equal vectors it is their squared length again, so their cosine is
      // exactly 1.
      const double norms = std::sqrt(hypothesis_.squares[n] * reference.squares[n]);
      sum += penalty * (norms != 0 ? std::min(products[n] / norms, 1.0) : products[n]);
    }
    return sum;
  }

  CiderOptions options_;
  const Documents& documents_;
  BleuTokenizer tokenizer_;
  std::string storage_;
  std::vector<std::string_view> words_;
  WordTable local_words_;
  NgramCounts local_;
  std::vector<std::pair<std::size_t, std::uint32_t>>
      places_;  // by local node: order - 1, node among the references'
  std::vector<CiderVector> references_;
  CiderVector hypothesis_;
  std::vector<double> value_of_reference_;
};

}  // namespace

std::vector<SegmentStatistics> cider_statistics(const ScoredTexts& corpus, const CiderOptions& options,
                                                const RunContext& context) {
  if (options.max_order == 0) throw_usage("CIDEr order is 0, expected 1 or more");
  if (!(options.sigma > 0)) throw_usage("CIDEr sigma is not positive");
  corpus.check();
  const Documents documents(corpus, options);
  return collect_statistics(
      corpus, 1, [&] { return std::make_unique<CiderScorer>(options, documents); }, context);
}

}  // namespace markeval::lexical
