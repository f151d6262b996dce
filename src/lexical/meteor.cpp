// The three stages of matching, the chunks, and the score for each reference, of which the best counts.
#include "lexical/meteor.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "base/elementary.hpp"
#include "lexical/porter_stemmer.hpp"
#include "lexical/word_table.hpp"

namespace markeval::lexical {
namespace {

constexpr std::size_t kUnmatched = static_cast<std::size_t>(-1);

struct MeteorWord {
  std::string form, stem;
};

class MeteorScorer : public SegmentScorer {
 public:
  explicit MeteorScorer(const MeteorOptions& options)
      : options_(options), tokenizer_(options.tokenization, true) {}

  void set_references(std::span<const std::string_view> references) override {
    references_.resize(references.size());
    for (std::size_t r = 0; r < references.size(); ++r) read(references[r], references_[r]);
  }

  void add_hypothesis(std::string_view hypothesis, std::span<double> row) override {
    read(hypothesis, hypothesis_);
    row[0] = 0;
    for (auto& reference : references_) row[0] = std::max(row[0], score(reference));
  }

 private:
  void read(std::string_view line, std::vector<MeteorWord>& words) {
    tokenizer_.tokenize(line, storage_, views_);
    words.resize(views_.size());
    for (std::size_t i = 0; i < views_.size(); ++i) {
      words[i].form = views_[i];
      words[i].stem.clear();
    }
  }

  static std::string_view stem_of(MeteorWord& word) {
    if (word.stem.empty()) word.stem = porter_stem(word.form);
    return word.stem;
  }

  /// The free words of the reference by their keys, the last on top.
  template <typename KeyOf>
  void stack_free_words(std::vector<MeteorWord>& reference, KeyOf key_of) {
    index_.clear(reference.size());
    stacks_.clear();
    for (std::size_t j = 0; j < reference.size(); ++j) {
      if (taken_[j]) continue;
      const std::uint32_t number = index_.add(key_of(reference[j]));
      if (number == stacks_.size()) stacks_.emplace_back();
      stacks_[number].push_back(j);
    }
  }

  /// Matches what is still free, from the last hypothesis word to the first, each with the last free
  /// reference word that has the same key.
  template <typename KeyOf>
  void match_by(std::vector<MeteorWord>& reference, KeyOf key_of) {
    stack_free_words(reference, key_of);
    for (std::size_t i = hypothesis_.size(); i-- > 0;) {
      if (partner_[i] != kUnmatched) continue;
      const std::uint32_t number = index_.find(key_of(hypothesis_[i]));
      if (number != WordTable::kUnknown && !stacks_[number].empty()) take(i, stacks_[number]);
    }
  }

  void take(std::size_t i, std::vector<std::size_t>& stack) {
    partner_[i] = stack.back();
    taken_[stack.back()] = true;
    stack.pop_back();
  }

  /// As above, but any synonym of the hypothesis word will do; of several the last free reference word. By
  /// now nltk has replaced the words by their stems, so it is stems that are looked up.
  void match_by_synonym(std::vector<MeteorWord>& reference) {
    stack_free_words(reference, stem_of);
    if (stacks_.empty()) return;
    for (std::size_t i = hypothesis_.size(); i-- > 0;) {
      if (partner_[i] != kUnmatched) continue;
      std::vector<std::size_t>* best = nullptr;
      for (const auto& synonym : synonyms(std::string(stem_of(hypothesis_[i])))) {
        const std::uint32_t number = index_.find(synonym);
        if (number == WordTable::kUnknown || stacks_[number].empty()) continue;
        if (best == nullptr || stacks_[number].back() > best->back()) best = &stacks_[number];
      }
      if (best != nullptr) take(i, *best);
    }
  }

  const std::vector<std::string>& synonyms(const std::string& word) {
    const auto [entry, is_new] = synonyms_.try_emplace(word);
    if (is_new) {
      entry->second.push_back(word);
      for (std::string& synonym : options_.wordnet->synonyms(word))
        entry->second.push_back(std::move(synonym));
    }
    return entry->second;
  }

  double score(std::vector<MeteorWord>& reference) {
    partner_.assign(hypothesis_.size(), kUnmatched);
    taken_.assign(reference.size(), false);
    match_by(reference, [](const MeteorWord& word) { return std::string_view(word.form); });
    match_by(reference, [](MeteorWord& word) { return stem_of(word); });
    if (options_.wordnet) match_by_synonym(reference);

    double matches = 0, chunks = 0;
    std::size_t previous = kUnmatched;
    for (std::size_t i = 0; i < hypothesis_.size(); ++i) {
      if (partner_[i] != kUnmatched) {
        ++matches;
        if (i == 0 || previous == kUnmatched || partner_[i] != previous + 1) ++chunks;
      }
      previous = partner_[i];
    }
    if (matches == 0) return 0;
    const double precision = matches / static_cast<double>(hypothesis_.size());
    const double recall = matches / static_cast<double>(reference.size());
    const double denominator = options_.alpha * precision + (1 - options_.alpha) * recall;
    if (denominator == 0) return 0;
    const double penalty = options_.gamma * elementary::pow(chunks / matches, options_.beta);
    // Rounded, alpha and 1 - alpha may sum to less than 1, which would lift a perfect mean above 1.
    return (1 - penalty) * std::min(precision * recall / denominator, 1.0);
  }

  MeteorOptions options_;
  BleuTokenizer tokenizer_;
  std::string storage_;
  std::vector<std::string_view> views_;
  std::vector<std::vector<MeteorWord>> references_;
  std::vector<MeteorWord> hypothesis_;
  std::vector<std::size_t> partner_;  // by hypothesis word: its reference word
  std::vector<bool> taken_;
  WordTable index_;
  std::vector<std::vector<std::size_t>> stacks_;
  std::unordered_map<std::string, std::vector<std::string>> synonyms_;
};

}  // namespace

std::vector<SegmentStatistics> meteor_statistics(const ScoredTexts& corpus, const MeteorOptions& options,
                                                 const RunContext& context) {
  return collect_statistics(
      corpus, 1, [&] { return std::make_unique<MeteorScorer>(options); }, context);
}

}  // namespace markeval::lexical
