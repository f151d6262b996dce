// Weights of the references first; then per segment the cosine with each reference, and the best or the mean
// of them.
#include "lexical/tfidf.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>

#include "base/elementary.hpp"
#include "lexical/word_table.hpp"

namespace markeval::lexical {
namespace {

/// The n-grams of a line: "a b", "b c" of "a b c". They point into the words' storage for single words, into
/// `joined` for longer ones.
void join_words(std::size_t order, std::string& joined, std::vector<std::string_view>& words) {
  if (order == 1) return;
  joined.clear();
  std::vector<std::pair<std::size_t, std::size_t>> spans;  // begin, length
  for (std::size_t start = 0; start + order <= words.size(); ++start) {
    const std::size_t begin = joined.size();
    for (std::size_t n = 0; n < order; ++n) joined.append(n > 0 ? 1 : 0, ' ').append(words[start + n]);
    spans.emplace_back(begin, joined.size() - begin);
  }
  words.clear();
  for (const auto& [begin, length] : spans) words.push_back(std::string_view(joined).substr(begin, length));
}

/// Every reference is a document.
struct TfidfWeights {
  std::deque<std::string> storage;  // never moves: the table points into it
  WordTable words;
  std::vector<double> idf;

  TfidfWeights(const ScoredTexts& corpus, const TfidfOptions& options) {
    BleuTokenizer tokenizer(options.tokenization, options.lowercase);
    std::vector<std::string_view> line;
    std::vector<std::size_t> last_seen;
    std::size_t documents = 0;
    words.clear(1024);
    for (const auto& segment : corpus.references) {
      for (const auto reference : segment) {
        tokenizer.tokenize(reference, storage.emplace_back(), line);
        join_words(options.order, storage.emplace_back(), line);
        ++documents;
        for (const auto word : line) {
          const std::uint32_t number = words.add(word);
          if (number == idf.size()) {
            idf.push_back(0);
            last_seen.push_back(0);
          }
          if (last_seen[number] != documents) idf[number] += 1;
          last_seen[number] = documents;
        }
      }
    }
    for (double& frequency : idf)
      frequency = elementary::log((1.0 + static_cast<double>(documents)) / (1.0 + frequency)) + 1;
  }
};

class TfidfScorer : public SegmentScorer {
 public:
  TfidfScorer(const TfidfOptions& options, const TfidfWeights& weights)
      : options_(options),
        weights_(weights),
        tokenizer_(options.tokenization, options.lowercase),
        value_(weights.idf.size(), 0.0) {}

  void set_references(std::span<const std::string_view> references) override {
    references_.resize(references.size());
    for (std::size_t r = 0; r < references.size(); ++r) read(references[r], references_[r]);
  }

  void add_hypothesis(std::string_view hypothesis, std::span<double> row) override {
    read(hypothesis, hypothesis_);
    for (const auto& [word, value] : hypothesis_.entries) value_[word] = value;
    row[0] = 0;
    for (const TfidfVector& reference : references_) {
      double product = 0;
      for (const auto& [word, value] : reference.entries) product += value * value_[word];
      if (product == 0) continue;
      // One root of the product: of equal vectors it is their squared length again, so their cosine is
      // exactly 1.
      const double cosine = product / std::sqrt(hypothesis_.squares * reference.squares);
      if (options_.mean) {
        row[0] += std::min(cosine, 1.0) / static_cast<double>(references_.size());
      } else {
        row[0] = std::max(row[0], std::min(cosine, 1.0));
      }
    }
    for (const auto& [word, value] : hypothesis_.entries) value_[word] = 0;
  }

 private:
  struct TfidfVector {
    std::vector<std::pair<std::uint32_t, double>> entries;  // word, weight
    double squares = 0;                                     // the squared length
  };

  void read(std::string_view line, TfidfVector& vector) {
    tokenizer_.tokenize(line, storage_, words_);
    join_words(options_.order, joined_, words_);
    numbers_.clear();
    for (const auto word : words_) {
      const std::uint32_t number = weights_.words.find(word);
      if (number != WordTable::kUnknown) numbers_.push_back(number);
    }
    std::sort(numbers_.begin(), numbers_.end());
    vector.entries.clear();
    vector.squares = 0;
    for (std::size_t i = 0; i < numbers_.size();) {
      const std::size_t start = i;
      while (i < numbers_.size() && numbers_[i] == numbers_[start]) ++i;
      const double value = static_cast<double>(i - start) * weights_.idf[numbers_[start]];
      vector.entries.emplace_back(numbers_[start], value);
      vector.squares += value * value;
    }
  }

  TfidfOptions options_;
  const TfidfWeights& weights_;
  BleuTokenizer tokenizer_;
  std::string storage_, joined_;
  std::vector<std::string_view> words_;
  std::vector<std::uint32_t> numbers_;
  std::vector<TfidfVector> references_;
  TfidfVector hypothesis_;
  std::vector<double> value_;
};

}  // namespace

std::vector<SegmentStatistics> tfidf_statistics(const ScoredTexts& corpus, const TfidfOptions& options,
                                                const RunContext& context) {
  corpus.check();
  const TfidfWeights weights(corpus, options);
  return collect_statistics(
      corpus, 1, [&] { return std::make_unique<TfidfScorer>(options, weights); }, context);
}

}  // namespace markeval::lexical
