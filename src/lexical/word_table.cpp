// A hash table with open addressing; words of up to eight bytes are compared by length and hash alone.
#include "lexical/word_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace markeval::lexical {

namespace {

/// Bytes up to which the hash tells a word from all others of its length.
constexpr std::size_t kWhole = 8;

template <typename Integer>
std::uint64_t load(const char* bytes) {
  Integer value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

std::uint64_t hash_of(std::string_view word) {
  const auto mix = [](std::uint64_t value) {
    value *= 0x9E3779B97F4A7C15ull;
    return value ^ (value >> 32);
  };
  std::uint64_t hash = word.size();
  for (; word.size() > kWhole; word.remove_prefix(8)) hash = mix(hash ^ load<std::uint64_t>(word.data()));
  const char *first = word.data(), *last = first + word.size();
  if (word.size() >= 4) return mix(hash ^ (load<std::uint32_t>(first) | load<std::uint32_t>(last - 4) << 32));
  if (word.empty()) return mix(hash);
  return mix(hash ^ (load<std::uint8_t>(first) << 8 | load<std::uint8_t>(first + word.size() / 2) << 16 |
                     load<std::uint8_t>(last - 1) << 24));
}

}  // namespace

void WordTable::clear(std::size_t expected) {
  words_.clear();
  const std::size_t capacity = std::bit_ceil(std::max<std::size_t>(16, 2 * expected));
  if (slots_.size() < capacity)
    slots_.assign(capacity, WordSlot{});
  else
    std::fill_n(slots_.begin(), capacity, WordSlot{});
  mask_ = capacity - 1;
}

std::size_t WordTable::slot_of(std::uint64_t hash, std::string_view word) const {
  const auto differs = [&](const WordSlot& slot) {
    const std::string_view other = words_[slot.next_number - 1];
    return other.size() != word.size() || (word.size() > kWhole && other != word);
  };
  std::size_t at = static_cast<std::size_t>(hash) & mask_;
  while (slots_[at].next_number != 0 && (slots_[at].hash != hash || differs(slots_[at])))
    at = (at + 1) & mask_;
  return at;
}

std::uint32_t WordTable::add(std::string_view word) {
  if (slots_.empty() || 2 * words_.size() > mask_) grow();
  const std::uint64_t hash = hash_of(word);
  WordSlot& slot = slots_[slot_of(hash, word)];
  if (slot.next_number == 0) {
    words_.push_back(word);
    slot = {hash, static_cast<std::uint32_t>(words_.size())};
  }
  return slot.next_number - 1;
}

std::uint32_t WordTable::find(std::string_view word) const {
  if (slots_.empty()) return kUnknown;
  return slots_[slot_of(hash_of(word), word)].next_number - 1;  // kUnknown where there is none
}

void WordTable::grow() {
  std::vector<WordSlot> old(std::max<std::size_t>(16, 2 * (mask_ + 1)), WordSlot{});
  old.swap(slots_);
  const std::size_t used = old.empty() ? 0 : mask_ + 1;
  mask_ = slots_.size() - 1;
  for (std::size_t i = 0; i < used; ++i) {
    if (old[i].next_number == 0) continue;
    std::size_t at = static_cast<std::size_t>(old[i].hash) & mask_;
    while (slots_[at].next_number != 0) at = (at + 1) & mask_;
    slots_[at] = old[i];
  }
}

}  // namespace markeval::lexical
