// Text the way Python 3.11 sees it, because the public metric tools are written in it: code points,
// str.split(), str.rstrip(), str.lower(), and the \p{P}, \p{S}, \p{N} of the `regex` package. The tables are
// committed (lexical/unicode_tables.cpp), so a score does not change with the Unicode version of a library.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "text/utf8.hpp"

namespace markeval::lexical {

/// Code points of UTF-8 `text`, appended to nothing: `codes` is overwritten. Bytes that are no UTF-8 become
/// U+FFFD, one per maximal damaged part, as bytes.decode(errors='replace') does.
void decode(std::string_view text, std::u32string& codes);
std::string encode(std::u32string_view codes);

/// str.isspace(), which is also what \s matches.
constexpr bool is_space(char32_t code) {
  if (code < 128) return ((code - 9 < 5) | (code - 28 < 5)) != 0;  // without a jump: 9 to 13, 28 to 32
  if (code < 0x1680) return code == 0x85 || code == 0xA0;
  return code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
         code == 0x202F || code == 0x205F || code == 0x3000;
}

std::u32string_view strip_right(std::u32string_view text);
std::u32string_view strip(std::u32string_view text);

/// The first place of `text`, from `position` on, that has no ASCII letter; its end where there is none.
inline std::size_t skip_letters(std::string_view text, std::size_t position) {
  if constexpr (std::endian::native == std::endian::little) {
    constexpr std::uint64_t kEach = 0x0101010101010101u, kHighest = 0x80 * kEach;
    for (; position + 8 <= text.size(); position += 8) {
      std::uint64_t bytes;
      std::memcpy(&bytes, text.data() + position, 8);
      const std::uint64_t lower = (bytes & ~kHighest) | 0x20 * kEach;  // no sum below leaves its byte
      const std::uint64_t from_a = lower + (0x80 - 'a') * kEach, after_z = lower + (0x7F - 'z') * kEach;
      const std::uint64_t others = (bytes | ~from_a | after_z) & kHighest;
      if (others != 0) return position + static_cast<std::size_t>(std::countr_zero(others)) / 8;
    }
  }
  const auto is_letter = [](char byte) { return static_cast<unsigned char>((byte | 0x20) - 'a') < 26; };
  while (position < text.size() && is_letter(text[position])) ++position;
  return position;
}

/// Bytes of the white space at `position` of UTF-8; 0 where there is none.
inline std::size_t space_bytes(std::string_view text, std::size_t position) {
  const auto byte = static_cast<unsigned char>(text[position]);
  if (byte < 0x80) return is_space(byte) ? 1 : 0;
  if (byte != 0xC2 && (byte < 0xE1 || byte > 0xE3)) return 0;  // the bytes they start with
  std::size_t next = position;
  return is_space(text::decode(text, next)) ? next - position : 0;
}

/// str.split() without arguments: the maximal runs without white space. `words` is overwritten and points
/// into `text`, which is UTF-8.
void split(std::string_view text, std::vector<std::string_view>& words);

/// str.lower(): U+0130 becomes two characters, a capital sigma at the end of a word becomes a final sigma.
void lower(std::u32string& text);

/// `line`, in lower case if asked for, as UTF-8: `line` itself, or what `storage` then holds. Bytes that are
/// no UTF-8 become U+FFFD as decode() has it.
std::string_view clean(std::string_view line, bool lowercase, std::string& storage);

enum class Category : std::uint8_t { other = 0, punctuation = 1, symbol = 2, number = 3 };
Category category(char32_t code);

inline bool is_ascii_digit(char32_t code) {
  return code >= '0' && code <= '9';
}

}  // namespace markeval::lexical
