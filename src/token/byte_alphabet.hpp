// GPT-2's alphabet: one printable character for each byte, so that byte-level vocabularies can be written as
// text.
#pragma once

#include <array>

namespace markeval::token {

/// '!' -> U+0021, ' ' -> U+0120, ...: printable Latin-1 stays, the other 68 bytes follow from U+0100 in
/// order.
inline const std::array<char32_t, 256>& byte_characters() {
  static const std::array<char32_t, 256> table = [] {
    std::array<char32_t, 256> characters{};
    char32_t next = 0x100;
    for (char32_t byte = 0; byte < 256; ++byte) {
      const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
      characters[byte] = printable ? byte : next++;
    }
    return characters;
  }();
  return table;
}

}  // namespace markeval::token
