// The vector of an n-gram is the sum of its words' vectors; each n-gram matches the most similar free one, if
// their cosine reaches the threshold.
#include "lexical/rouge_embedding.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "base/cancellation.hpp"
#include "lexical/python_text.hpp"
#include "lexical/rouge_tokenizer.hpp"

namespace markeval::lexical {
namespace {

class RougeEmbeddingScorer : public SegmentScorer {
 public:
  RougeEmbeddingScorer(const RougeEmbeddingOptions& options, WordVectorLookup vectors)
      : options_(options), vectors_(vectors) {}

  void set_references(std::span<const std::string_view> references) override {
    references_.resize(references.size());
    for (std::size_t r = 0; r < references.size(); ++r) read(references[r], references_[r]);
  }

  void add_hypothesis(std::string_view hypothesis, std::span<double> row) override {
    read(hypothesis, hypothesis_);
    std::fill(row.begin(), row.end(), options_.mean ? 0.0 : -1.0);
    for (const VectorText& reference : references_) {
      const double hits = overlap(reference);
      const double precision = hypothesis_.total > 0 ? hits / hypothesis_.total : 0;
      const double recall = reference.total > 0 ? hits / reference.total : 0;
      const double f1 = precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
      if (options_.mean) {
        const auto count = static_cast<double>(references_.size());
        row[0] += precision / count;
        row[1] += recall / count;
        row[2] += f1 / count;
      } else if (f1 > row[2]) {
        row[0] = precision;
        row[1] = recall;
        row[2] = f1;
      }
    }
  }

 private:
  struct Gram {
    std::string text;  // words joined by spaces
    double count = 0;
    std::vector<float> vector{};  // of length one; empty where a word is unknown
  };
  struct VectorText {
    std::vector<Gram> grams;  // in order of appearance
    double total = 0;
  };

  void read(std::string_view line, VectorText& text) {
    rouge_words(line, false, storage_, words_, line_ends_);
    std::unordered_map<std::string, std::size_t> index_of_gram;
    text.grams.clear();
    text.total = 0;
    for (std::size_t start = 0; start + options_.order <= words_.size(); ++start) {
      std::string key(words_[start]);
      for (std::size_t n = 1; n < options_.order; ++n) key.append(1, ' ').append(words_[start + n]);
      const auto [known, is_new] = index_of_gram.try_emplace(key, text.grams.size());
      if (is_new) text.grams.push_back({key, 0, vector_of(start)});
      text.grams[known->second].count += 1;
      text.total += 1;
    }
  }

  std::vector<float> vector_of(std::size_t start) const {
    std::vector<float> sum;
    for (std::size_t n = 0; n < options_.order; ++n) {
      const auto vector = vectors_(words_[start + n]);
      if (vector.empty()) return {};
      sum.resize(vector.size(), 0.0f);
      for (std::size_t d = 0; d < vector.size(); ++d) sum[d] += vector[d];
    }
    double squares = 0;
    for (const float value : sum) squares += static_cast<double>(value) * static_cast<double>(value);
    if (squares == 0) return {};
    for (float& value : sum) value = static_cast<float>(value / std::sqrt(squares));
    return sum;
  }

  static double similarity(const Gram& a, const Gram& b) {
    if (a.text == b.text) return 1;
    if (a.vector.empty() || b.vector.empty()) return 0;
    double product = 0;
    for (std::size_t d = 0; d < a.vector.size(); ++d) {
      product += static_cast<double>(a.vector[d]) * static_cast<double>(b.vector[d]);
    }
    return product;
  }

  double overlap(const VectorText& reference) const {
    constexpr std::size_t kMostPairs = std::size_t{1} << 28;
    if (!reference.grams.empty() && hypothesis_.grams.size() > kMostPairs / reference.grams.size()) {
      throw_invalid("texts of " + std::to_string(reference.grams.size()) + " and " +
                    std::to_string(hypothesis_.grams.size()) +
                    " different n-grams are too long to compare, at most 2^28 pairs");
    }
    std::vector<double> left;
    for (const Gram& gram : reference.grams) left.push_back(gram.count);
    double hits = 0;
    for (const Gram& gram : hypothesis_.grams) {
      check_cancelled();
      std::size_t best = kNowhere;
      double best_similarity = 0;
      for (std::size_t i = 0; i < reference.grams.size(); ++i) {
        if (left[i] == 0) continue;
        const double value = similarity(gram, reference.grams[i]);
        if (best == kNowhere || value > best_similarity) {
          best = i;
          best_similarity = value;
        }
      }
      if (best == kNowhere || best_similarity < options_.threshold) continue;
      const double taken = std::min(gram.count, left[best]);
      hits += taken;
      left[best] -= taken;
    }
    return hits;
  }

  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  RougeEmbeddingOptions options_;
  WordVectorLookup vectors_;
  std::string storage_;
  std::vector<std::string_view> words_;
  std::vector<std::size_t> line_ends_;
  std::vector<VectorText> references_;
  VectorText hypothesis_;
};

}  // namespace

std::vector<SegmentStatistics> rouge_embedding_statistics(const ScoredTexts& corpus,
                                                          const RougeEmbeddingOptions& options,
                                                          WordVectorLookup vectors,
                                                          const RunContext& context) {
  if (options.order == 0) throw_usage("ROUGE-WE order is 0, expected 1 or more");
  return collect_statistics(
      corpus, 3, [&] { return std::make_unique<RougeEmbeddingScorer>(options, vectors); }, context);
}

}  // namespace markeval::lexical
