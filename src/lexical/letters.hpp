// The letters of a text by how their script is written: what is left of it for a tokeniser that splits at
// blanks, or keeps a to z only. For warnings; no score depends on it.
#pragma once

#include <cstddef>
#include <string_view>

namespace markeval::lexical {

struct LetterCounts {
  std::size_t letters = 0;   ///< all, the marks on them included; no digits, punctuation, symbols
  std::size_t ascii = 0;     ///< of them: a to z
  std::size_t han = 0;       ///< of them: Chinese characters, in Japanese too
  std::size_t unspaced = 0;  ///< of them: other scripts without blanks between words: kana, Thai, Khmer, ...
  std::size_t hangul = 0;    ///< of them: Korean, whose characters are syllables

  LetterCounts& operator+=(const LetterCounts& other);
};

/// Counts in valid UTF-8: "a 漢字 カナ 말" -> 6 letters, 1 ascii, 2 han, 2 unspaced, 1 hangul
LetterCounts count_letters(std::string_view text);

}  // namespace markeval::lexical
