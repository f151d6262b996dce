#include "lexical/ngram_table.hpp"

#include <algorithm>
#include <bit>

namespace markeval::lexical {

void NgramTable::clear(std::size_t symbols, std::size_t max_order) {
  max_order_ = max_order;
  const std::size_t capacity = std::bit_ceil(std::max<std::size_t>(64, 2 * symbols * max_order));
  constexpr std::size_t kWorthFreeing = 1u << 20;
  if (slots_.size() > kWorthFreeing && slots_.size() > 8 * capacity)
    slots_ = {};  // after a line of a megabyte
  if (slots_.size() < capacity) slots_.resize(capacity);
  std::fill_n(slots_.begin(), capacity, NodeSlot{});
  mask_ = capacity - 1;
  shift_ = 64 - std::countr_zero(capacity);
  text_ = 0;
}

void NgramTable::add_reference(std::span<const std::uint32_t> symbols) {
  ++text_;
  for (std::size_t start = 0; start < symbols.size(); ++start) {
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
  ++text_;
  for (std::size_t start = 0; start < symbols.size(); ++start) {
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
