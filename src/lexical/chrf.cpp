// Character and word n-grams per segment, then the F-score averaged over the orders.
#include "lexical/chrf.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lexical/ngram_table.hpp"
#include "lexical/python_text.hpp"
#include "lexical/word_table.hpp"

namespace markeval::lexical {
namespace {

constexpr bool is_ascii_punctuation(char code) {
  return (code >= '!' && code <= '/') || (code >= ':' && code <= '@') || (code >= '[' && code <= '`') ||
         (code >= '{' && code <= '~');
}

/// One punctuation character is split off each word: the last, else the first. "(hi)" -> "(hi" ")"
void split_punctuation(std::string_view text, std::vector<std::string_view>& scratch,
                       std::vector<std::string_view>& words) {
  split(text, scratch);
  words.clear();
  for (const auto word : scratch) {
    if (word.size() > 1 && is_ascii_punctuation(word.back())) {
      words.push_back(word.substr(0, word.size() - 1));
      words.push_back(word.substr(word.size() - 1));
    } else if (word.size() > 1 && is_ascii_punctuation(word.front())) {
      words.push_back(word.substr(0, 1));
      words.push_back(word.substr(1));
    } else {
      words.push_back(word);
    }
  }
}

template <typename Number>
Number f_score(std::span<const Number> statistics, const ChrfOptions& options) {
  constexpr double kEpsilon = 1e-16;
  const std::size_t orders = options.char_order + options.word_order;
  const double factor = static_cast<double>(options.beta * options.beta);
  Number score = 0.0, mean_precision = 0.0, mean_recall = 0.0;
  std::size_t used_orders = 0;
  for (std::size_t i = 0; i < orders; ++i) {
    const Number system = statistics[3 * i], reference = statistics[3 * i + 1], match = statistics[3 * i + 2];
    const bool has_system = system > 0, has_reference = reference > 0;
    const Number precision = has_system ? match / system : Number(kEpsilon);
    const Number recall = has_reference ? match / reference : Number(kEpsilon);
    const Number denominator = Number(factor) * precision + recall;
    score =
        score + (denominator > 0 ? Number(1 + factor) * precision * recall / denominator : Number(kEpsilon));
    if (has_system && has_reference) {
      mean_precision = mean_precision + precision;
      mean_recall = mean_recall + recall;
      ++used_orders;
    }
  }
  if (options.eps_smoothing) return Number(100.0) * score / Number(static_cast<double>(orders));
  if (used_orders == 0) return 0.0;
  mean_precision = mean_precision / Number(static_cast<double>(used_orders));
  mean_recall = mean_recall / Number(static_cast<double>(used_orders));
  if (!(mean_precision + mean_recall > 0)) return 0.0;
  return Number(100.0) * (Number(1 + factor) * mean_precision * mean_recall /
                          (Number(factor) * mean_precision + mean_recall));
}

class ChrfScorer : public SegmentScorer {
 public:
  explicit ChrfScorer(const ChrfOptions& options)
      : options_(options),
        candidate_(chrf_columns(options)),
        matches_(options.char_order + options.word_order) {}

  void set_references(std::span<const std::string_view> references) override {
    count_ = references.size();
    if (references_.size() < count_) references_.resize(count_);
    for (std::size_t r = 0; r < count_; ++r) {
      ChrfReference& reference = references_[r];
      const std::string_view text = read(references[r], reference.storage, reference.characters);
      reference.char_ngrams.clear(reference.characters.size(), options_.char_order);
      reference.char_ngrams.add_reference(reference.characters);
      if (options_.word_order == 0) continue;
      split_punctuation(text, scratch_, words_);
      reference.words.clear(words_.size());
      symbols_.clear();
      for (const auto word : words_) symbols_.push_back(reference.words.add(word));
      reference.word_count = symbols_.size();
      reference.word_ngrams.clear(symbols_.size(), options_.word_order);
      reference.word_ngrams.add_reference(symbols_);
    }
  }

  void add_hypothesis(std::string_view hypothesis, std::span<double> row) override {
    const std::string_view text = read(hypothesis, storage_, characters_);
    if (options_.word_order > 0) split_punctuation(text, scratch_, words_);
    double best = -1;
    for (std::size_t r = 0; r < count_; ++r) {
      compare(references_[r]);
      const double score = count_ == 1 ? 0 : f_score(std::span<const double>(candidate_), options_);
      if (score > best) {
        best = score;
        std::copy(candidate_.begin(), candidate_.end(), row.begin());
      }
    }
  }

 private:
  struct ChrfReference {
    std::string storage;
    std::vector<std::uint32_t> characters;
    std::size_t word_count = 0;
    WordTable words;
    NgramTable char_ngrams, word_ngrams;
  };

  /// The line as it is counted; points into `line` or `storage`.
  std::string_view read(std::string_view line, std::string& storage,
                        std::vector<std::uint32_t>& characters) const {
    line = clean(line, options_.lowercase, storage);
    characters.resize(line.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < line.size();) {
      characters[count] = text::decode(line, i);
      count += options_.whitespace || !is_space(characters[count]) ? 1 : 0;
    }
    characters.resize(count);
    return line;
  }

  void compare(ChrfReference& reference) {
    std::fill(matches_.begin(), matches_.end(), 0u);
    reference.char_ngrams.count_matches(characters_, matches_);
    if (options_.word_order > 0) {
      symbols_.clear();
      for (const auto word : words_) symbols_.push_back(reference.words.find(word));
      reference.word_ngrams.count_matches(symbols_, std::span(matches_).subspan(options_.char_order));
    }
    for (std::size_t i = 0; i < matches_.size(); ++i) {
      const bool of_characters = i < options_.char_order;
      const std::size_t order = of_characters ? i + 1 : i - options_.char_order + 1;
      const std::size_t in_system = ngram_total(of_characters ? characters_.size() : words_.size(), order);
      const std::size_t in_reference =
          ngram_total(of_characters ? reference.characters.size() : reference.word_count, order);
      candidate_[3 * i] = in_reference > 0 ? static_cast<double>(in_system) : 0;
      candidate_[3 * i + 1] = static_cast<double>(in_reference);
      candidate_[3 * i + 2] = matches_[i];
    }
  }

  ChrfOptions options_;
  std::vector<ChrfReference> references_;
  std::size_t count_ = 0;
  std::string storage_;
  std::vector<std::uint32_t> characters_, symbols_;
  std::vector<std::string_view> scratch_, words_;
  std::vector<double> candidate_;
  std::vector<std::uint32_t> matches_;
};

}  // namespace

std::size_t chrf_columns(const ChrfOptions& options) {
  return 3 * (options.char_order + options.word_order);
}

std::vector<SegmentStatistics> chrf_statistics(const ScoredTexts& corpus, const ChrfOptions& options,
                                               const RunContext& context) {
  if (options.char_order + options.word_order == 0) throw_usage("char_order and word_order are both 0");
  return collect_statistics(
      corpus, chrf_columns(options), [&] { return std::make_unique<ChrfScorer>(options); }, context);
}

double chrf_score(std::span<const double> statistics, const ChrfOptions& options) {
  return f_score(statistics, options);
}

PythonNumber chrf_resampled_score(std::span<const PythonNumber> statistics, const ChrfOptions& options) {
  return f_score(statistics, options);
}

std::string chrf_name(const ChrfOptions& options) {
  return fmt::format("chrF{}{}", options.beta, std::string(options.word_order, '+'));
}

std::string chrf_signature(const ChrfOptions& options) {
  return fmt::format("case:{}|eff:{}|nc:{}|nw:{}|space:{}", options.lowercase ? "lc" : "mixed",
                     options.eps_smoothing ? "no" : "yes", options.char_order, options.word_order,
                     options.whitespace ? "yes" : "no");
}

}  // namespace markeval::lexical
