// The last part of the road: the texts of a block that the cache did not have go through the encoder in
// batches of like length, and their rows are put where they belong. A text longer than its model is cut, or
// goes in overlapping windows: each is a sequence of its own between the model's special tokens, and a token
// keeps the state it has in the window where it stands most inside.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/run_context.hpp"
#include "embed/encoded_texts.hpp"
#include "encoder/encoder.hpp"
#include "token/tokenizer.hpp"

namespace markeval::embed {

/// What is missing of a block. Lists have one entry per distinct text.
struct MissingTexts {
  std::vector<std::uint8_t> states;        ///< 1: its token states are missing
  std::vector<std::uint8_t> sentences;     ///< 1: its pooled rows are
  std::vector<token::Encoding> encodings;  ///< of the texts that lack something
  /// Tokens whose states of the last layer are needed; empty: of every token.
  std::vector<std::vector<std::uint8_t>> masks;

  bool lacks(std::size_t place) const { return states[place] != 0 || sentences[place] != 0; }
};

struct LengthLimits {
  std::size_t tokens = 0;     ///< of a sequence whose token states are wanted, special tokens included
  std::size_t sentences = 0;  ///< of one whose pooled row is
  bool windows = false;       ///< longer texts in overlapping windows; else they are cut already

  bool operator==(const LengthLimits&) const = default;
};

/// Fills `out`. Throws TextError where a text has no tokens, or a row that was asked for holds NaN or infinity.
void run_encoder(encoder::Encoder& encoder, const MissingTexts& missing, const LengthLimits& limits,
                 EncodedTexts& out, const RunContext& context);

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
///   text_windows(8, 4) -> [0, 4) keeps [0, 3), [2, 6) keeps [3, 5), [4, 8) keeps [5, 8)
///   text_windows(3, 4) -> [0, 3) keeps [0, 3)
std::vector<TextWindow> text_windows(std::size_t tokens, std::size_t size);

}  // namespace markeval::embed
