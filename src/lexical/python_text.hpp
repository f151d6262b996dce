// Text the way Python 3.11 sees it, because the public metric tools are written in it: code points,
// str.split(), str.rstrip(), str.lower(), and the \p{P}, \p{S}, \p{N} of the `regex` package. The tables are
// committed (lexical/unicode_tables.cpp), so a score does not change with the Unicode version of a library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace markeval::lexical {

/// Code points of UTF-8 `text`, appended to nothing: `codes` is overwritten. Bytes that are no UTF-8 become
/// U+FFFD, one per maximal damaged part, as bytes.decode(errors='replace') does.
void decode(std::string_view text, std::u32string& codes);
std::string encode(std::u32string_view codes);

/// str.isspace(), which is also what \s matches.
inline bool is_space(char32_t code) {
  if (code < 128) return code == ' ' || (code >= 9 && code <= 13) || (code >= 28 && code <= 31);
  if (code < 0x1680) return code == 0x85 || code == 0xA0;
  return code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
         code == 0x202F || code == 0x205F || code == 0x3000;
}

std::u32string_view strip_right(std::u32string_view text);
std::u32string_view strip(std::u32string_view text);

/// str.split() without arguments: the maximal runs without white space. `words` is overwritten and points
/// into `text`.
void split(std::u32string_view text, std::vector<std::u32string_view>& words);

/// str.lower(): U+0130 becomes two characters, a capital sigma at the end of a word becomes a final sigma.
void lower(std::u32string& text);

enum class Category : std::uint8_t { other = 0, punctuation = 1, symbol = 2, number = 3 };
Category category(char32_t code);

inline bool is_ascii_digit(char32_t code) {
  return code >= '0' && code <= '9';
}

}  // namespace markeval::lexical
