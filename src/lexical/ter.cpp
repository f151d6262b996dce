// The greedy search for shifts with Tercom's limits, and the sums of edits and reference lengths.
#include "lexical/ter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/cancellation.hpp"
#include "lexical/beam_distance.hpp"
#include "lexical/word_table.hpp"

namespace markeval::lexical {
namespace {

constexpr std::size_t kMaxShiftSize = 10;
constexpr std::size_t kMaxShiftDistance = 50;
constexpr std::size_t kMaxShiftCandidates = 1000;
constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

using Words = std::vector<std::uint32_t>;

/// Finds the number of edits by greedy shifts: the heuristics, limits and tie-breaks are Tercom's as
/// sacrebleu has them.
class ShiftSearch {
 public:
  std::size_t edits(std::span<const std::uint32_t> hypothesis, std::span<const std::uint32_t> reference) {
    if (reference.empty()) return hypothesis.size();
    if (hypothesis.empty()) return reference.size();
    reference_ = reference;
    distance_.set_reference(reference);
    words_.assign(hypothesis.begin(), hypothesis.end());
    list_places();
    std::size_t shifts = 0, candidates = 0;
    int edits = distance_.set_hypothesis(words_);
    while (edits > 0) {
      const int gain = best_shift(edits, candidates);
      if (candidates >= kMaxShiftCandidates || gain <= 0) break;
      ++shifts;
      const auto at = [&](std::size_t i) { return words_.begin() + static_cast<std::ptrdiff_t>(i); };
      std::rotate(at(best_.first), at(best_.middle), at(best_.last));
      edits = distance_.set_hypothesis(words_);
    }
    return shifts + static_cast<std::size_t>(edits);
  }

 private:
  struct PhraseMove {
    std::size_t first, middle, last;
  };

  void list_places() {
    first_equal_.assign(*std::max_element(reference_.begin(), reference_.end()) + std::size_t{1}, kNowhere);
    next_equal_.resize(reference_.size());
    for (std::size_t word = reference_.size(); word-- > 0;) {
      next_equal_[word] = first_equal_[reference_[word]];
      first_equal_[reference_[word]] = word;
    }
  }

  /// What the current edits say: for each reference word the hypothesis word it stands beside (-1: before the
  /// first), and how many of the first i words of either side are wrong.
  void align() {
    distance_.trace(operations_);
    alignment_.clear();
    reference_errors_.assign(1, 0);
    hypothesis_errors_.assign(1, 0);
    int position = -1;
    for (const auto operation : operations_) {
      const int wrong = operation == BeamDistance::Operation::keep ? 0 : 1;
      if (operation != BeamDistance::Operation::insert) {
        ++position;
        hypothesis_errors_.push_back(hypothesis_errors_.back() + wrong);
      }
      if (operation != BeamDistance::Operation::erase) {
        alignment_.push_back(position);
        reference_errors_.push_back(reference_errors_.back() + wrong);
      }
    }
  }

  int best_shift(int edits, std::size_t& candidates) {
    align();
    using Rank = std::tuple<int, std::size_t, std::ptrdiff_t, std::ptrdiff_t>;
    Rank best{std::numeric_limits<int>::min(), 0, 0, 0};
    for (std::size_t start = 0; start < words_.size(); ++start) {
      check_cancelled();
      if (words_[start] == WordTable::kUnknown) continue;
      const std::size_t first = start > kMaxShiftDistance ? start - kMaxShiftDistance : 0;
      const std::size_t last = std::min(reference_.size(), start + kMaxShiftDistance + 1);
      for (std::size_t target = first_equal_[words_[start]]; target < last; target = next_equal_[target]) {
        if (target < first) continue;
        const std::size_t longest =
            std::min({kMaxShiftSize, words_.size() - start, reference_.size() - target});
        for (std::size_t length = 1; length <= longest; ++length) {
          if (words_[start + length - 1] != reference_[target + length - 1]) break;
          if (hypothesis_errors_[start + length] == hypothesis_errors_[start]) continue;
          if (reference_errors_[target + length] == reference_errors_[target]) continue;
          const auto from = static_cast<std::ptrdiff_t>(start);
          if (alignment_[target] >= from && alignment_[target] < from + static_cast<std::ptrdiff_t>(length))
            continue;
          std::ptrdiff_t previous = -1;
          for (std::size_t offset = 0; offset <= length;
               ++offset) {  // where the word before target + offset stands
            const std::ptrdiff_t to = target + offset == 0 ? 0 : alignment_[target + offset - 1] + 1;
            if (to == previous) continue;
            previous = to;
            const PhraseMove shift = move_of(start, length, static_cast<std::size_t>(to));
            const int gain = edits - distance_.rotated(shift.first, shift.middle, shift.last);
            ++candidates;
            const Rank rank{gain, length, -from, -to};
            if (rank > best) {
              best = rank;
              best_ = shift;
            }
          }
          if (candidates >= kMaxShiftCandidates) return std::get<0>(best);
        }
      }
    }
    return std::max(std::get<0>(best), 0);
  }

  /// Moves words [start, start + length) to before word `to`; a target inside the phrase moves it on by that
  /// much.
  PhraseMove move_of(std::size_t start, std::size_t length, std::size_t to) const {
    if (to < start) return {to, start, start + length};
    return {start, start + length, std::min(words_.size(), to > start + length ? to : length + to)};
  }

  std::span<const std::uint32_t> reference_;
  BeamDistance distance_;
  Words words_;
  std::vector<std::size_t> first_equal_, next_equal_;  // of a word in the reference; kNowhere ends
  PhraseMove best_{};
  std::vector<BeamDistance::Operation> operations_;
  std::vector<std::ptrdiff_t> alignment_;
  std::vector<int> reference_errors_, hypothesis_errors_;
};

class TerScorer : public SegmentScorer {
 public:
  explicit TerScorer(const TerOptions& options) : tokenizer_(options) {}

  void set_references(std::span<const std::string_view> references) override {
    count_ = references.size();
    if (references_.size() < count_) references_.resize(count_);
    total_length_ = 0;
    for (std::size_t r = 0; r < count_; ++r) {
      TerReference& reference = references_[r];
      tokenizer_.tokenize_reference(references[r], reference.storage, words_);
      reference.table.clear(words_.size());
      reference.words.clear();
      for (const auto word : words_) reference.words.push_back(reference.table.add(word));
      total_length_ += words_.size();
    }
  }

  void add_hypothesis(std::string_view hypothesis, std::span<double> row) override {
    tokenizer_.tokenize(hypothesis, storage_, words_);
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (std::size_t r = 0; r < count_; ++r) {
      numbers_.clear();
      for (const auto word : words_) numbers_.push_back(references_[r].table.find(word));
      fewest = std::min(fewest, search_.edits(numbers_, references_[r].words));
    }
    row[0] = static_cast<double>(fewest);
    row[1] = static_cast<double>(total_length_) / static_cast<double>(count_);
  }

 private:
  struct TerReference {
    std::string storage;
    WordTable table;
    Words words;
  };
  TerTokenizer tokenizer_;
  std::vector<TerReference> references_;
  std::size_t count_ = 0, total_length_ = 0;
  std::string storage_;
  std::vector<std::string_view> words_;
  Words numbers_;
  ShiftSearch search_;
};

}  // namespace

std::vector<SegmentStatistics> ter_statistics(const ScoredTexts& corpus, const TerOptions& options,
                                              const RunContext& context) {
  return collect_statistics(
      corpus, kTerColumns, [&] { return std::make_unique<TerScorer>(options); }, context);
}

PythonNumber ter_resampled_score(std::span<const PythonNumber> statistics) {
  if (statistics[1] > 0) return PythonNumber(100.0) * (statistics[0] / statistics[1]);
  return statistics[0] > 0 ? 100.0 : 0.0;
}

double ter_score(std::span<const double> statistics) {
  const PythonNumber numbers[] = {statistics[0], statistics[1]};
  return ter_resampled_score(numbers).value;
}

std::string ter_signature(const TerOptions& options) {
  const auto yes = [](bool value) { return value ? "yes" : "no"; };
  return fmt::format("case:{}|tok:tercom|norm:{}|punct:{}|asian:{}", options.case_sensitive ? "mixed" : "lc",
                     yes(options.normalized), yes(!options.no_punct), yes(options.asian_support));
}

}  // namespace markeval::lexical
