// Pairs of pieces -> what they merge into, as one flat hash table: a merge costs a few look-ups each.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace markeval::token {

struct MergeRule {
  std::uint32_t rank = 0;
  std::int32_t id = -1;  // < 0: an empty slot
};

class MergeTable {
 public:
  void reserve(std::size_t rules) {
    slots_.assign(std::bit_ceil(2 * rules + 2), RuleSlot{});
    mask_ = slots_.size() - 1;
  }
  /// A pair put in twice keeps the last rule. At most as many pairs as reserved.
  void insert(std::int32_t left, std::int32_t right, MergeRule rule) {
    const std::uint64_t key = key_of(left, right);
    std::size_t slot = slot_of(key);
    while (slots_[slot].rule.id >= 0 && slots_[slot].key != key) slot = (slot + 1) & mask_;
    slots_[slot] = {key, rule};
  }
  const MergeRule* find(std::int32_t left, std::int32_t right) const {
    const std::uint64_t key = key_of(left, right);
    for (std::size_t slot = slot_of(key);; slot = (slot + 1) & mask_) {
      if (slots_[slot].rule.id < 0) return nullptr;
      if (slots_[slot].key == key) return &slots_[slot].rule;
    }
  }

 private:
  struct RuleSlot {
    std::uint64_t key = 0;
    MergeRule rule;
  };
  static std::uint64_t key_of(std::int32_t left, std::int32_t right) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) |
           static_cast<std::uint32_t>(right);
  }
  std::size_t slot_of(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 32) & mask_;
  }
  std::vector<RuleSlot> slots_{2};
  std::size_t mask_ = 1;
};

}  // namespace markeval::token
