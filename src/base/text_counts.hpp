// What became of texts on their way to tokens, besides the tokens themselves; reported, never silent. The
// tokenizer counts one text, a run adds texts up, a report shows the sums: one type for all of them.
#pragma once

#include <cstddef>

namespace markeval {

struct TextCounts {
  std::size_t texts = 0;
  std::size_t tokens = 0;      ///< that were read, special ones not counted
  std::size_t cut_texts = 0;   ///< texts that lost tokens at the limit
  std::size_t cut_tokens = 0;  ///< what they lost
  std::size_t unknown = 0;     ///< tokens the vocabulary lacks

  static TextCounts of_text(std::size_t tokens, std::size_t cut_tokens, std::size_t unknown) {
    return {1, tokens, cut_tokens > 0 ? std::size_t{1} : 0, cut_tokens, unknown};
  }
  TextCounts& operator+=(const TextCounts& other) {
    texts += other.texts;
    tokens += other.tokens;
    cut_texts += other.cut_texts;
    cut_tokens += other.cut_tokens;
    unknown += other.unknown;
    return *this;
  }
};

}  // namespace markeval
