// A hash table with open addressing: (prefix, word) -> node.
#include "lexical/ngram_counts.hpp"

#include "base/cancellation.hpp"

namespace markeval::lexical {
namespace {

constexpr std::uint64_t key_of(std::uint32_t prefix, std::uint32_t word) {
  return (std::uint64_t{prefix} << 32 | word) + 1;
}

}  // namespace

void NgramCounts::clear() {
  constexpr std::size_t kSmall = 64;
  counts.assign(1, 0.0);
  slots_.assign(kSmall, {});
  mask_ = kSmall - 1;
}

std::size_t NgramCounts::slot_of(std::uint64_t key) const {
  std::size_t slot = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ull) >> 20) & mask_;
  while (slots_[slot].key != 0 && slots_[slot].key != key) slot = (slot + 1) & mask_;
  return slot;
}

std::uint32_t NgramCounts::add(std::uint32_t prefix, std::uint32_t word) {
  if (2 * counts.size() > mask_) grow();
  const std::uint64_t key = key_of(prefix, word);
  CountSlot& slot = slots_[slot_of(key)];
  if (slot.key == 0) {
    slot = {key, static_cast<std::uint32_t>(counts.size())};
    counts.push_back(0.0);
  }
  return slot.node;
}

std::uint32_t NgramCounts::find(std::uint32_t prefix, std::uint32_t word) const {
  if (prefix == kNone || word == kNone) return kNone;
  const CountSlot& slot = slots_[slot_of(key_of(prefix, word))];
  return slot.key == 0 ? kNone : slot.node;
}

void NgramCounts::grow() {
  std::vector<CountSlot> old(2 * slots_.size(), CountSlot{});
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  for (const CountSlot& slot : old) {
    if ((&slot - old.data()) % 4096 == 0) check_cancelled();
    if (slot.key != 0) slots_[slot_of(slot.key)] = slot;
  }
}

}  // namespace markeval::lexical
