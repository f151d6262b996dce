// The last part of the road: the texts of a block that the cache did not have go through the encoder in
// batches of like length, and their rows are put where they belong.
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
  bool any() const;
};

struct LengthLimits {
  std::size_t tokens = 0;     ///< of a sequence whose token states are wanted, special tokens included
  std::size_t sentences = 0;  ///< of one whose pooled row is
  bool windows = false;       ///< longer texts in overlapping windows; else they are cut already

  bool operator==(const LengthLimits&) const = default;
};

/// Fills `out`. Throws NotFinite where a row that was asked for holds NaN or infinity.
void run_encoder(encoder::Encoder& encoder, const MissingTexts& missing, const LengthLimits& limits,
                 EncodedTexts& out, const RunContext& context);

}  // namespace markeval::embed
