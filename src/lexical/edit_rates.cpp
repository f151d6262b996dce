// One scorer for the four rates: edits for WER and CER, words in any order for PER, jumps for CDER.
#include "lexical/edit_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "lexical/python_text.hpp"

namespace markeval::lexical {
namespace {

using Symbols = std::vector<std::uint32_t>;

/// Cells of a distance table: some ten seconds.
constexpr double kLargestTable = 4e9;

/// One alignment of two texts.
struct Edits {
  std::size_t all = 0, substitutions = 0, deletions = 0, insertions = 0;
};

class EditScorer : public SegmentScorer {
 public:
  explicit EditScorer(const EditRateOptions& options) : options_(options) {}

  void set_references(std::span<const std::string_view> references) override {
    numbers_.clear();
    references_.clear();
    std::size_t length = 0;
    for (const std::string_view reference : references) {
      references_.push_back(symbols_of(reference));
      length += references_.back().size();
    }
    mean_length_ = static_cast<double>(length) / static_cast<double>(references.size());
  }

  void add_hypothesis(std::string_view hypothesis, std::span<double> row) override {
    const Symbols symbols = symbols_of(hypothesis);
    Edits fewest{std::numeric_limits<std::size_t>::max()};
    for (const Symbols& reference : references_) {
      const Edits found = compare(reference, symbols);
      if (found.all < fewest.all) fewest = found;
    }
    row[0] = static_cast<double>(fewest.all);
    row[1] = mean_length_;
    row[2] = static_cast<double>(fewest.substitutions);
    row[3] = static_cast<double>(fewest.deletions);
    row[4] = static_cast<double>(fewest.insertions);
  }

 private:
  Symbols symbols_of(std::string_view text) {
    decode(clean(text, options_.lowercase, storage_), codes_);
    if (options_.rate == EditRate::characters) {
      const std::u32string_view bare = strip(codes_);
      return {bare.begin(), bare.end()};
    }
    Symbols symbols;
    for (const std::u32string_view word : edit_words(codes_))
      symbols.push_back(
          numbers_.try_emplace(std::u32string(word), static_cast<std::uint32_t>(numbers_.size()))
              .first->second);
    return symbols;
  }

  Edits compare(const Symbols& reference, const Symbols& candidate) {
    if (options_.rate == EditRate::bags) return bag_edits(reference, candidate);
    if (static_cast<double>(reference.size()) * static_cast<double>(candidate.size()) > kLargestTable)
      throw_invalid(fmt::format("texts of {} and {} {} are too long to compare", candidate.size(),
                                reference.size(),
                                options_.rate == EditRate::characters ? "characters" : "words"));
    return options_.rate == EditRate::blocks ? block_edits(reference, candidate)
                                             : shortest(reference, candidate);
  }

  /// One of the shortest alignments, with the fewest substitutions: all of those have the same three counts.
  Edits shortest(const Symbols& reference, const Symbols& candidate) {
    constexpr std::uint64_t kEdit = std::uint64_t{1} << 32, kSubstitution = kEdit + 1;
    costs_.resize(candidate.size() + 1);
    for (std::size_t i = 0; i < costs_.size(); ++i) costs_[i] = i * kEdit;
    for (const std::uint32_t word : reference) {
      check_cancelled();
      std::uint64_t before = costs_[0];  // of one word less on both sides
      costs_[0] += kEdit;
      for (std::size_t i = 1; i < costs_.size(); ++i) {
        const std::uint64_t both = before + (candidate[i - 1] == word ? 0 : kSubstitution);
        before = costs_[i];
        costs_[i] = std::min({both, costs_[i] + kEdit, costs_[i - 1] + kEdit});
      }
    }
    Edits edits;
    edits.all = costs_.back() >> 32;
    edits.substitutions = costs_.back() & 0xFFFFFFFFu;
    const std::size_t others = edits.all - edits.substitutions;
    // Insertions less deletions is the difference of the lengths.
    edits.insertions = (others + candidate.size() - reference.size()) / 2;
    edits.deletions = others - edits.insertions;
    return edits;
  }

  static Edits bag_edits(const Symbols& reference, const Symbols& candidate) {
    std::map<std::uint32_t, std::size_t> left;
    for (const std::uint32_t word : reference) ++left[word];
    std::size_t matches = 0;
    for (const std::uint32_t word : candidate) {
      const auto found = left.find(word);
      if (found == left.end() || found->second == 0) continue;
      --found->second;
      ++matches;
    }
    return {std::max(reference.size(), candidate.size()) - matches};
  }

  /// The recursion of the paper: every reference word is covered once, the candidate's words may be left out,
  /// and a long jump to any place of the candidate costs one edit.
  Edits block_edits(const Symbols& reference, const Symbols& candidate) {
    costs_.assign(candidate.size() + 1, 1);
    costs_[0] = 0;
    for (const std::uint32_t word : reference) {
      check_cancelled();
      std::uint64_t before = costs_[0];
      std::uint64_t least = ++costs_[0];
      for (std::size_t i = 1; i < costs_.size(); ++i) {
        const std::uint64_t both = before + (candidate[i - 1] == word ? 0u : 1u);
        before = costs_[i];
        costs_[i] = std::min({both, costs_[i - 1] + 1, costs_[i] + 1});
        least = std::min(least, costs_[i]);
      }
      for (std::uint64_t& cost : costs_) cost = std::min(cost, least + 1);
    }
    return {costs_.back()};
  }

  EditRateOptions options_;
  std::string storage_;
  std::u32string codes_;
  std::map<std::u32string, std::uint32_t> numbers_;
  std::vector<Symbols> references_;
  double mean_length_ = 0;
  std::vector<std::uint64_t> costs_;
};

}  // namespace

std::vector<std::u32string_view> edit_words(std::u32string_view text) {
  std::vector<std::u32string_view> words;
  text = strip(text);
  std::size_t begin = 0;
  const auto end_word = [&](std::size_t end) {
    if (end > begin) words.push_back(text.substr(begin, end - begin));
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t next = at;
    while (next < text.size() && is_space(text[next])) ++next;
    const bool splits = next - at > 1 || (next - at == 1 && text[at] == U' ');
    if (splits) {
      end_word(at);
      begin = next;
    }
    at = std::max(next, at + 1);
  }
  end_word(text.size());
  return words;
}

std::vector<SegmentStatistics> edit_statistics(const ScoredTexts& corpus, const EditRateOptions& options,
                                               const RunContext& context) {
  return collect_statistics(
      corpus, kEditColumns, [&] { return std::make_unique<EditScorer>(options); }, context);
}

}  // namespace markeval::lexical
