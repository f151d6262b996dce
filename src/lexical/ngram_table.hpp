// Counts n-grams of all orders up to a limit and how many of them another text shares, each at most as often
// as the reference has it. Exact: no n-gram is confused with another one, and nothing is allocated per
// n-gram. A single reference that is not long is kept as the places of each symbol, one bit each: n-grams of
// the reference that end with a symbol are those of its places before which the shorter n-gram ended. For
// others an n-gram is the chain of its prefixes: a table maps (prefix, next symbol) to the longer n-gram.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace markeval::lexical {

class NgramTable {
 public:
  /// A symbol that no reference contains. All others are small: numbers of words, or code points.
  static constexpr std::uint32_t kUnknown = 0xFFFFFFFFu;

  /// Forgets all n-grams; references of `symbols` symbols in total follow.
  void clear(std::size_t symbols, std::size_t max_order);
  /// With several references an n-gram counts as often as in the reference that has it most often.
  void add_reference(std::span<const std::uint32_t> symbols);
  /// Adds to `matches[n - 1]` the n-grams of order n that `symbols` shares with the references.
  void count_matches(std::span<const std::uint32_t> symbols, std::span<std::uint32_t> matches);

 private:
  struct NodeSlot {
    std::uint64_t key;  // (slot of the prefix + 1) << 32 | symbol + 1, 0 = free
    std::uint32_t reference_count;
    std::uint32_t count;  // in the text of number `text`
    std::uint32_t text;
    std::uint32_t padding;
  };
  std::size_t home(std::uint64_t key) const { return (key * 0x9E3779B97F4A7C15ull) >> shift_; }
  void clear_slots();
  void set_places(std::span<const std::uint32_t> reference);
  template <std::size_t kBlocks>
  void count_by_places(std::span<const std::uint32_t> symbols, std::span<std::uint32_t> matches);

  std::size_t symbols_ = 0;
  std::size_t max_order_ = 0;
  std::uint32_t text_ = 0;

  std::vector<NodeSlot> slots_;
  std::size_t mask_ = 0;
  int shift_ = 0;

  std::size_t blocks_ = 0;                    // of 64 places each; 0 = the reference is in the table
  std::vector<std::uint32_t> rows_;           // by symbol; 0 = the reference lacks it
  std::vector<std::uint32_t> listed_;         // the symbols of the rows, from row 1 on
  std::vector<std::uint64_t> positions_;      // row by row, of `blocks_` numbers
  std::vector<std::uint32_t> counts_, left_;  // by row: places, and those without a match
  std::vector<std::uint64_t> ends_;   // by order: where in the reference the n-gram before this symbol ends
  std::vector<std::uint64_t> taken_;  // by order: the ends of n-grams that have a match already
};

/// Throws Error(invalid_input) beyond Limit::ngrams: memory grows with their product.
void require_countable(std::size_t symbols, std::size_t max_order);

/// How many n-grams of order `order` a text of `length` symbols has.
inline std::size_t ngram_total(std::size_t length, std::size_t order) {
  return length >= order ? length - order + 1 : 0;
}

}  // namespace markeval::lexical
