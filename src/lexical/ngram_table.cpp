// Both methods of counting: bit rows of places for one short reference, a hash table of prefixes for the
// rest.
#include "lexical/ngram_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/cancellation.hpp"
#include "base/limits.hpp"

namespace markeval::lexical {

namespace {

constexpr std::size_t kMostBlocks = 8;  // beyond, the table is faster

/// Looks at the flag at every 256th symbol: an n-gram that starts there is a few hundred steps at most.
inline void check_at(std::size_t symbol) {
  if (symbol % 256 == 0) check_cancelled();
}

}  // namespace

void require_countable(std::size_t symbols, std::size_t max_order) {
  const std::uint64_t longest = std::min(symbols, max_order);
  if (longest == 0 || symbols <= limit_of(Limit::ngrams) / longest) return;
  throw_beyond(Limit::ngrams, fmt::format("a segment with {} words or characters in its references and "
                                          "n-grams of up to {} of them",
                                          symbols, max_order));
}

void NgramTable::clear(std::size_t symbols, std::size_t max_order) {
  symbols_ = symbols;
  max_order_ = max_order;
  text_ = 0;
  blocks_ = 0;
}

void NgramTable::clear_slots() {
  require_countable(symbols_, max_order_);
  const std::size_t longest = std::min(symbols_, max_order_);
  const std::size_t capacity = std::bit_ceil(std::max<std::size_t>(64, 2 * symbols_ * longest));
  constexpr std::size_t kWorthFreeing = 1u << 20;
  if (slots_.size() > kWorthFreeing && slots_.size() > 8 * capacity)
    slots_ = {};  // after a line of a megabyte
  if (slots_.capacity() < capacity) {
    slots_ = {};
    slots_.reserve(capacity);
  }
  constexpr std::size_t kAtOnce = 1u << 16;
  for (std::size_t from = 0; from < capacity; from += kAtOnce) {
    check_cancelled();
    const std::size_t to = std::min(capacity, from + kAtOnce), there = std::min(slots_.size(), to);
    if (there > from) std::fill_n(slots_.data() + from, there - from, NodeSlot{});
    if (there < to) slots_.resize(to);
  }
  mask_ = capacity - 1;
  shift_ = 64 - std::countr_zero(capacity);
}

void NgramTable::set_places(std::span<const std::uint32_t> reference) {
  for (const std::uint32_t symbol : listed_) rows_[symbol] = 0;
  listed_.clear();
  counts_.assign(1, 0);
  blocks_ = reference.size() / 64 + 1;
  positions_.assign((reference.size() + 1) * blocks_, 0);
  for (std::size_t position = 0; position < reference.size(); ++position) {
    const std::uint32_t symbol = reference[position];
    if (symbol >= rows_.size()) rows_.resize(symbol + std::size_t{1}, 0);
    if (rows_[symbol] == 0) {
      listed_.push_back(symbol);
      counts_.push_back(0);
      rows_[symbol] = static_cast<std::uint32_t>(listed_.size());
    }
    ++counts_[rows_[symbol]];
    positions_[rows_[symbol] * blocks_ + position / 64] |= std::uint64_t{1} << (position % 64);
  }
}

/// Places that have one n-gram of the text have no other one of that order, so a match takes any free place.
template <std::size_t kBlocks>
void NgramTable::count_by_places(std::span<const std::uint32_t> symbols, std::span<std::uint32_t> matches) {
  const std::size_t blocks = kBlocks == 0 ? blocks_ : kBlocks;  // a constant makes the inner loop unroll
  ends_.resize((max_order_ + 1) * blocks);
  taken_.assign((max_order_ + 1) * blocks, 0);
  left_ = counts_;
  std::size_t longest = 0;  // order of the longest n-gram before this symbol that the reference has
  for (std::size_t at = 0; at < symbols.size(); ++at) {
    check_at(at);
    const std::uint32_t symbol = symbols[at];
    const std::uint32_t row = symbol < rows_.size() ? rows_[symbol] : 0;
    const std::size_t most = std::min(longest + 1, max_order_);
    longest = 0;
    if (row == 0) continue;
    const std::uint64_t* positions = positions_.data() + row * blocks;
    for (std::size_t order = most; order > 1; --order) {
      std::uint64_t* ends = ends_.data() + order * blocks;
      std::uint64_t* taken = taken_.data() + order * blocks;
      const std::uint64_t* shorter = ends - blocks;
      std::uint64_t carry = 0, seen = 0, found = 0;
      for (std::size_t b = 0; b < blocks; ++b) {
        ends[b] = (shorter[b] << 1 | carry) & positions[b];
        carry = shorter[b] >> 63;
        seen |= ends[b];
        const std::uint64_t free = found != 0 ? 0 : ends[b] & ~taken[b];
        taken[b] |= free & (~free + 1);  // the lowest
        found |= free;
      }
      matches[order - 1] += found != 0 ? 1 : 0;
      longest += seen != 0 ? 1 : 0;  // where the reference has an n-gram it has the shorter ones
    }
    std::copy_n(positions, blocks, ends_.data() + blocks);
    const std::uint32_t free = left_[row] > 0 ? 1 : 0;
    left_[row] -= free;
    matches[0] += free;
    ++longest;
  }
}

void NgramTable::add_reference(std::span<const std::uint32_t> symbols) {
  if (symbols.size() == symbols_ && symbols_ < 64 * kMostBlocks) return set_places(symbols);
  if (symbols.empty()) return;  // another reference may be the only one with symbols
  if (text_++ == 0) clear_slots();
  for (std::size_t start = 0; start < symbols.size(); ++start) {
    check_at(start);
    const std::size_t longest = std::min(max_order_, symbols.size() - start);
    std::uint64_t prefix = 0;
    for (std::size_t n = 0; n < longest; ++n) {
      const std::uint64_t key = (prefix << 32) | (symbols[start + n] + 1u);
      std::size_t at = home(key);
      while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & mask_;
      NodeSlot& slot = slots_[at];
      slot.key = key;
      if (slot.text != text_) {
        slot.text = text_;
        slot.count = 0;
      }
      slot.reference_count = std::max(slot.reference_count, ++slot.count);
      prefix = at + 1;
    }
  }
}

void NgramTable::count_matches(std::span<const std::uint32_t> symbols, std::span<std::uint32_t> matches) {
  if (max_order_ == 0) return;
  switch (blocks_) {
    case 0:
      break;
    case 1:
      return count_by_places<1>(symbols, matches);
    case 2:
      return count_by_places<2>(symbols, matches);
    case 3:
      return count_by_places<3>(symbols, matches);
    default:
      return count_by_places<0>(symbols, matches);
  }
  ++text_;
  for (std::size_t start = 0; start < symbols.size(); ++start) {
    check_at(start);
    const std::size_t longest = std::min(max_order_, symbols.size() - start);
    std::uint64_t prefix = 0;
    for (std::size_t n = 0; n < longest; ++n) {
      if (symbols[start + n] == kUnknown) break;
      const std::uint64_t key = (prefix << 32) | (symbols[start + n] + 1u);
      std::size_t at = home(key);
      while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & mask_;
      NodeSlot& slot = slots_[at];
      if (slot.key == 0) break;
      if (slot.text != text_) {
        slot.text = text_;
        slot.count = 0;
      }
      if (++slot.count <= slot.reference_count) ++matches[n];
      prefix = at + 1;
    }
  }
}

}  // namespace markeval::lexical
