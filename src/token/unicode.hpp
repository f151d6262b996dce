// What tokenizers ask of a character. Used by the normalisers, the pre-tokenizers and the added tokens.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "token/unicode_tables.hpp"

namespace markeval::token {

struct CharacterInfo {
  std::uint16_t properties = 0;
  Cluster cluster = Cluster::kAny;
  std::uint8_t combining_class = 0;
  std::int32_t lower_delta = 0;
};

/// All properties of all characters, made once and then only read.
class UnicodeData {
 public:
  static const UnicodeData& get();

  const CharacterInfo& operator[](char32_t character) const {
    return pages_[page_of_[character >> 8]][character & 0xFF];
  }
  bool has(char32_t character, Property property) const {
    return ((*this)[character].properties & property) != 0;
  }
  /// Lower case; U+0130 alone becomes two characters and is left as it is here.
  char32_t lower(char32_t character) const {
    return static_cast<char32_t>(static_cast<std::int32_t>(character) + (*this)[character].lower_delta);
  }
  /// The composition of two characters in NFC, if there is one.
  std::optional<char32_t> compose(char32_t first, char32_t second) const;

 private:
  UnicodeData();
  CharacterInfo& at(char32_t character);
  void add(std::span<const std::uint32_t> steps, Property property);
  using Page = std::array<CharacterInfo, 256>;
  std::vector<Page> pages_;
  std::array<std::uint16_t, 0x1100> page_of_{};
  struct Composition {
    std::uint64_t pair;
    char32_t composed;
  };
  std::vector<Composition> compositions_;  // sorted by pair
};

inline constexpr std::size_t kMaxDecomposition = 20;
/// Writes the full decomposition (canonical, or compatible too) of one character and returns its length, at
/// least 1.
std::size_t decompose(char32_t character, bool compatible, std::span<char32_t, kMaxDecomposition> out);

/// Byte position behind the extended grapheme cluster (UAX 29, Unicode 16) that starts at `position` of
/// `text`.
std::size_t cluster_end(std::string_view text, std::size_t position);

/// A CJK ideograph as BERT sees it: these become words of their own.
bool is_bert_ideograph(char32_t character);

}  // namespace markeval::token
