// Words -> small numbers, exactly: two words get one number only if all their characters are equal. The words
// stay where they are, the table only points at them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace markeval::lexical {

class WordTable {
 public:
  static constexpr std::uint32_t kUnknown = 0xFFFFFFFFu;

  /// Forgets all words. `expected` distinct words then fit without growing.
  void clear(std::size_t expected);
  /// The word's number: 0, 1, 2, ... in order of first appearance.
  std::uint32_t add(std::string_view word);
  /// The number of a word added before, else kUnknown.
  std::uint32_t find(std::string_view word) const;
  std::size_t size() const { return words_.size(); }
  std::string_view word(std::uint32_t number) const { return words_[number]; }

 private:
  struct WordSlot {
    std::uint64_t hash;
    std::uint32_t next_number;  // the word's number + 1, 0 = free
  };
  std::size_t slot_of(std::uint64_t hash, std::string_view word) const;
  void grow();

  std::vector<std::string_view> words_;
  std::vector<WordSlot> slots_;  // only the first mask_ + 1 are in use
  std::size_t mask_ = 0;
};

}  // namespace markeval::lexical
