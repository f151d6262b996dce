// Unicode ranges of the scripts, and one pass over the text.
#include "lexical/letters.hpp"

#include <algorithm>
#include <utility>

#include "lexical/python_text.hpp"
#include "text/utf8.hpp"

namespace markeval::lexical {
namespace {

using Range = std::pair<char32_t, char32_t>;

template <std::size_t Count>
bool within(const Range (&ranges)[Count], char32_t code) {
  return std::any_of(ranges, ranges + Count,
                     [&](const Range& range) { return code >= range.first && code <= range.second; });
}

/// Ideographs and Bopomofo: what tokenize=zh parts.
constexpr Range kHan[] = {{0x2E80, 0x2FDF}, {0x3005, 0x3007}, {0x3100, 0x312F},  {0x3400, 0x4DBF},
                          {0x4E00, 0x9FFF}, {0xF900, 0xFAFF}, {0x20000, 0x3FFFF}};
/// Kana, and the scripts for which Unicode's line breaking (UAX #14) needs a dictionary, class SA; Tibetan.
constexpr Range kUnspaced[] = {{0x0E00, 0x0EFF}, {0x0F00, 0x0FFF}, {0x1000, 0x109F}, {0x1780, 0x17FF},
                               {0x1950, 0x19FF}, {0x1A20, 0x1AAF}, {0x3040, 0x30FF}, {0x31F0, 0x31FF},
                               {0xA9E0, 0xA9FF}, {0xAA60, 0xAADF}, {0xFF66, 0xFF9F}};
constexpr Range kHangul[] = {{0x1100, 0x11FF}, {0x3130, 0x318F}, {0xA960, 0xA97F}, {0xAC00, 0xD7FF}};
/// Neither letters nor of any other category the tables know: controls and invisible signs.
constexpr Range kInvisible[] = {
    {0x80, 0xAD}, {0x200B, 0x206F}, {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xE0000, 0xE0FFF}};

}  // namespace

LetterCounts& LetterCounts::operator+=(const LetterCounts& other) {
  letters += other.letters;
  ascii += other.ascii;
  han += other.han;
  unspaced += other.unspaced;
  hangul += other.hangul;
  return *this;
}

LetterCounts count_letters(std::string_view text) {
  LetterCounts counts;
  for (const char byte : text) counts.ascii += static_cast<unsigned char>((byte | 0x20) - 'a') < 26 ? 1 : 0;
  counts.letters = counts.ascii;
  if (text::is_ascii(text)) return counts;
  for (std::size_t position = 0; position < text.size();) {
    const char32_t code = text::decode(text, position);
    if (code < 0x80) continue;  // counted above
    if (category(code) != Category::other || is_space(code) || within(kInvisible, code)) continue;
    ++counts.letters;
    if (code < 0x0E00) continue;  // most scripts with blanks
    if (within(kHan, code)) {
      ++counts.han;
    } else if (within(kUnspaced, code)) {
      ++counts.unspaced;
    } else if (within(kHangul, code)) {
      ++counts.hangul;
    }
  }
  return counts;
}

}  // namespace markeval::lexical
