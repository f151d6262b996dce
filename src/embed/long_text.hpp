// A text longer than its model, in overlapping windows: each window is a sequence of its own between the
// model's special tokens. A token keeps the state it has in the window where it stands most inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace markeval::embed {

/// Special tokens, the text's own, special tokens.
struct TextShape {
  std::size_t before = 0, tokens = 0, after = 0;

  std::size_t specials() const { return before + after; }
};

/// `special`: 1 where the tokenizer's template put the token.
TextShape text_shape(std::span<const std::uint8_t> special);

/// Tokens [begin, end) of a text; of these [keep_begin, keep_end) keep what they have here.
struct TextWindow {
  std::size_t begin, end;
  std::size_t keep_begin, keep_end;

  std::size_t size() const { return end - begin; }
};

/// Windows of `size` tokens, half a window apart; the last one ends with the text. Where two overlap, each
/// keeps its half.
///   text_windows(10, 4) -> [0, 4) keeps [0, 3), [2, 6) keeps [3, 5), [4, 8) keeps [5, 7), [6, 10) keeps [7,
///   10) text_windows(3, 4) -> [0, 3) keeps [0, 3)
std::vector<TextWindow> text_windows(std::size_t tokens, std::size_t size);

}  // namespace markeval::embed
