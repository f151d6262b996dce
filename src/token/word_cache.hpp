// Words seen before and their tokens: most words of a text are. One per thread, of fixed size, a new word
// simply takes the place of an old one.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "token/aligned_text.hpp"

namespace markeval::token {

class WordCache {
 public:
  static constexpr std::size_t kMaxBytes = 40;
  static constexpr std::size_t kMaxTokens = 8;

  /// Forgets everything unless the words are still those of `owner`.
  void use_for(std::uint64_t owner) {
    if (owner == owner_) return;
    owner_ = owner;
    entries_.assign(kEntries, CachedWord{});
  }

  static std::uint64_t hash(std::string_view word) {
    std::uint64_t state = word.size() * 0x9E3779B97F4A7C15U;
    while (word.size() >= 8) {
      std::uint64_t chunk;
      std::memcpy(&chunk, word.data(), 8);
      state = mix(state ^ chunk);
      word.remove_prefix(8);
    }
    std::uint64_t chunk = 0;
    std::memcpy(&chunk, word.data(), word.size());
    return mix(state ^ chunk);
  }

  /// Appends the tokens of `word`, bytes counted from `begin`, if it is known.
  bool find(std::string_view word, std::uint64_t hash, std::uint32_t begin, std::vector<Token>& out) const {
    const CachedWord& entry = entries_[hash % kEntries];
    if (entry.bytes != word.size() || std::memcmp(entry.word, word.data(), word.size()) != 0) return false;
    for (std::size_t i = 0; i < entry.tokens; ++i) {
      out.push_back({entry.ids[i], begin + entry.begins[i], begin + entry.ends[i]});
    }
    return true;
  }

  void insert(std::string_view word, std::uint64_t hash, const Token* tokens, std::size_t count,
              std::uint32_t begin) {
    if (word.size() > kMaxBytes || count > kMaxTokens) return;
    CachedWord& entry = entries_[hash % kEntries];
    entry.bytes = static_cast<std::uint8_t>(word.size());
    entry.tokens = static_cast<std::uint8_t>(count);
    std::memcpy(entry.word, word.data(), word.size());
    for (std::size_t i = 0; i < count; ++i) {
      entry.ids[i] = tokens[i].id;
      entry.begins[i] = static_cast<std::uint8_t>(tokens[i].begin - begin);
      entry.ends[i] = static_cast<std::uint8_t>(tokens[i].end - begin);
    }
  }

 private:
  static constexpr std::size_t kEntries = 1U << 14;
  struct CachedWord {
    std::uint8_t bytes = 0;  // 0: no word here
    std::uint8_t tokens = 0;
    std::uint8_t begins[kMaxTokens] = {};
    std::uint8_t ends[kMaxTokens] = {};
    char word[kMaxBytes] = {};
    std::int32_t ids[kMaxTokens] = {};
  };
  static std::uint64_t mix(std::uint64_t value) {
    value *= 0xD6E8FEB86659FD93U;
    return value ^ (value >> 32);
  }
  std::vector<CachedWord> entries_;
  std::uint64_t owner_ = 0;
};

}  // namespace markeval::token
