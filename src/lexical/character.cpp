// Greedy shifts of phrases as long as they lower the word distance, then the character distance and the cost
// of the shifts, divided by the length of the hypothesis.
#include "lexical/character.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "base/cancellation.hpp"
#include "lexical/levenshtein.hpp"
#include "lexical/word_table.hpp"

namespace markeval::lexical {
namespace {

using Words = std::vector<std::uint32_t>;

/// Most steps of 64 cells of a distance table: some ten seconds.
constexpr double kMostSteps = 4e9;

class CharacterScorer : public SegmentScorer {
 public:
  explicit CharacterScorer(const CharacterOptions& options)
      : tokenizer_(options.tokenization, options.lowercase) {}

  void set_references(std::span<const std::string_view> references) override { references_ = references; }

  void add_hypothesis(std::string_view hypothesis, std::span<double> row) override {
    tokenizer_.tokenize(hypothesis, storage_, words_);
    double best = 1;
    for (const auto reference : references_) {
      tokenizer_.tokenize(reference, reference_storage_, reference_words_);
      best = std::min(best, score());
    }
    row[0] = best;
  }

 private:
  double score() {
    if (reference_words_.empty()) return words_.empty() ? 0 : 1;
    table_.clear(words_.size() + reference_words_.size());
    Words original, reference;
    for (const auto word : words_) original.push_back(table_.add(word));
    for (const auto word : reference_words_) reference.push_back(table_.add(word));
    rank_words();
    require_few_shifts(original, reference);
    const auto length = static_cast<double>(reference.size());
    double current = word_distance(original, reference) / length;
    if (current == 0) return 0;
    Words shifted = original, candidate, best;
    while (true) {
      const double gain = best_shift(shifted, reference, current, candidate, best);
      if (gain <= 0) break;
      shifted.swap(best);
      current -= gain;
    }
    joined(shifted, text_);
    joined(reference, reference_text_);
    if (text_.empty()) return 1;
    const double edits = static_cast<double>(character_distance()) + shift_cost(shifted, original);
    return std::min(1.0, edits / static_cast<double>(text_.size()));
  }

  double word_distance(const Words& a, const Words& b) {
    return static_cast<double>(distance_(b, a, table_.size()));
  }

  /// Every phrase that might be moved costs a table of words: time grows with the cube of the length or
  /// worse.
  void require_few_shifts(const Words& words, const Words& reference) const {
    std::vector<double> counts(table_.size(), 0);
    for (const std::uint32_t word : words) ++counts[word];
    double shifts = 0;
    for (const std::uint32_t word : reference) shifts += counts[word];
    const double pairs = static_cast<double>(words.size()) * static_cast<double>(reference.size());
    if (shifts * pairs / 64 <= kMostSteps) return;
    throw_invalid(fmt::format("texts of {} and {} words with {} possible shifts are too long to compare",
                              words.size(), reference.size(), shifts));
  }

  /// Words in the order of their code points: of equally good shifts the greatest list of words wins.
  void rank_words() {
    std::vector<std::uint32_t> order(table_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return table_.word(a) < table_.word(b); });
    rank_.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) rank_[order[i]] = static_cast<std::uint32_t>(i);
  }

  bool is_greater(const Words& a, const Words& b) const {
    return std::lexicographical_compare(
        b.begin(), b.end(), a.begin(), a.end(),
        [&](std::uint32_t x, std::uint32_t y) { return rank_[x] < rank_[y]; });
  }

  /// Tries to move every phrase that stands elsewhere in the reference to where it stands there.
  double best_shift(const Words& words, const Words& reference, double current, Words& candidate,
                    Words& best) {
    double best_gain = 0;
    bool found = false;
    for (std::size_t start = 0; start < words.size(); ++start) {
      check_cancelled();
      for (std::size_t target = 0; target < reference.size(); ++target) {
        if (start == target || words[start] != reference[target]) continue;
        std::size_t length = 1;
        while (start + length < words.size() && target + length < reference.size() &&
               words[start + length] == reference[target + length]) {
          ++length;
        }
        const auto first = words.begin() + static_cast<std::ptrdiff_t>(start);
        const auto last = first + static_cast<std::ptrdiff_t>(length);
        candidate.assign(words.begin(), first);
        candidate.insert(candidate.end(), last, words.end());
        const auto at = static_cast<std::ptrdiff_t>(std::min(target, candidate.size()));
        candidate.insert(candidate.begin() + at, first, last);
        const double gain =
            current - word_distance(candidate, reference) / static_cast<double>(reference.size());
        if (!found || gain > best_gain || (gain == best_gain && is_greater(candidate, best))) {
          found = true;
          best_gain = gain;
          best = candidate;
        }
      }
    }
    return best_gain;
  }

  void joined(const Words& words, std::u32string& text) const {
    std::string bytes;
    for (const std::uint32_t word : words) bytes.append(bytes.empty() ? 0 : 1, ' ').append(table_.word(word));
    decode(bytes, text);
  }

  std::size_t character_distance() {
    if (static_cast<double>(text_.size()) * static_cast<double>(reference_text_.size()) / 64 > kMostSteps) {
      throw_invalid(fmt::format("texts of {} and {} characters are too long to compare", text_.size(),
                                reference_text_.size()));
    }
    std::u32string kinds = text_ + reference_text_;
    std::sort(kinds.begin(), kinds.end());
    kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
    const auto numbered = [&](const std::u32string& text) {
      Words numbers;
      for (const char32_t code : text) {
        numbers.push_back(
            static_cast<std::uint32_t>(std::lower_bound(kinds.begin(), kinds.end(), code) - kinds.begin()));
      }
      return numbers;
    };
    return distance_(numbered(reference_text_), numbered(text_), kinds.size());
  }

  /// The mean word length of each phrase that was moved, added up.
  double shift_cost(const Words& shifted, const Words& original) const {
    double cost = 0;
    for (std::size_t start = 0; start < shifted.size(); ++start) {
      check_cancelled();
      if (original[start] == shifted[start]) continue;
      const std::size_t phrase = start;
      for (std::size_t at = start + 1; at < shifted.size(); ++at) {
        if (original[phrase] != shifted[at]) continue;
        std::size_t length = 1;
        while (phrase + length < original.size() && at + length < shifted.size() &&
               original[phrase + length] == shifted[at + length]) {
          ++length;
          if (start + 1 < original.size()) ++start;
        }
        std::size_t characters = 0;
        for (std::size_t i = 0; i < length; ++i)
          characters += text::count_characters(table_.word(original[phrase + i]));
        cost += static_cast<double>(characters) / static_cast<double>(length);
        break;
      }
    }
    return cost;
  }

  BleuTokenizer tokenizer_;
  std::span<const std::string_view> references_;
  std::string storage_, reference_storage_;
  std::u32string text_, reference_text_;
  std::vector<std::string_view> words_, reference_words_;
  WordTable table_;
  std::vector<std::uint32_t> rank_;
  Levenshtein distance_;
};

}  // namespace

std::vector<SegmentStatistics> character_statistics(const ScoredTexts& corpus,
                                                    const CharacterOptions& options,
                                                    const RunContext& context) {
  return collect_statistics(
      corpus, 1, [&] { return std::make_unique<CharacterScorer>(options); }, context);
}

}  // namespace markeval::lexical
