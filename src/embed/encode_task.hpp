// The texts of a block that the cache did not have, as work for the encoder: sequences in batches of like
// length, and where their rows go. A text longer than its model is cut, or goes in overlapping windows: each
// is a sequence of its own between the model's special tokens, and a token keeps the state it has in the
// window where it stands most inside.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

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

  bool lacks(std::size_t slot) const { return states[slot] != 0 || sentences[slot] != 0; }
};

struct LengthLimits {
  std::size_t tokens = 0;     ///< of a sequence whose token states are wanted, special tokens included
  std::size_t sentences = 0;  ///< of one whose pooled row is
  bool windows = false;       ///< longer texts in overlapping windows; else they are cut already
};

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

/// What one caller wants of an encoder. All that it is given must outlive it.
class EncodeTask {
 public:
  /// `batch_tokens`: of one batch; a longer sequence is a batch of its own. Throws TextError where a text has
  /// no tokens, or more than the model has room for.
  EncodeTask(const MissingTexts& missing, const LengthLimits& limits, std::size_t batch_tokens,
             EncodedTexts& out);

  /// Tasks may share a batch where these are equal.
  std::span<const std::size_t> layers() const { return layers_; }
  std::size_t batches() const { return batches_.size(); }
  std::size_t started() const { return started_; }
  /// All batches are started.
  bool is_started() const { return started_ == batches_.size(); }
  /// Tokens of the batch that comes next.
  std::size_t next_tokens() const;

  /// Fills the rows that need all batches. Throws TextError where a row that was asked for holds NaN or
  /// infinity.
  void finish();

 private:
  friend class EncodeBatch;

  /// What the encoder runs: a text, the beginning of one that is too long, or one of its windows.
  struct Sequence {
    std::size_t text;                  ///< in the block
    TextShape shape;                   ///< of the whole text
    std::size_t first, count;          ///< its own tokens, special ones not counted
    std::size_t keep_begin, keep_end;  ///< these rows of the sequence are rows of the text ...
    std::size_t row;                   ///< ... from this one on
    bool for_states, for_sentences;
    bool is_window;

    std::size_t length() const { return shape.specials() + count; }
  };

  void plan(std::size_t text);
  void add(std::size_t text, const TextShape& shape, std::size_t room, bool states, bool sentences);
  bool may_skip_tokens() const;
  std::span<float> window_rows(const Sequence& sequence, std::size_t which);
  void note_bad(std::size_t text, std::size_t layer) { bad_layer_[text] = std::min(bad_layer_[text], layer); }

  const MissingTexts& missing_;
  const LengthLimits& limits_;
  EncodedTexts& out_;
  std::vector<std::size_t> layers_;
  std::vector<Sequence> sequences_;
  std::vector<std::vector<std::size_t>> batches_;  ///< of sequences_
  std::size_t started_ = 0;
  /// Rows of long texts, by text and sentence: pooled when all their windows are there.
  std::unordered_map<std::size_t, std::vector<float>> long_rows_;
  std::vector<std::size_t> bad_layer_;  ///< per text: the lowest layer with NaN or infinity
};

/// One batch of an encoder: sequences of one task, or of several with equal layers.
class EncodeBatch {
 public:
  /// The next batch of `task`.
  void add(EncodeTask& task);
  void append(const EncodeBatch& other);
  std::size_t tokens() const { return tokens_; }
  /// The rows go where their tasks want them. Can be called again where it threw.
  void run(encoder::Encoder& encoder);

 private:
  struct Member {
    EncodeTask* task;
    const EncodeTask::Sequence* sequence;
    std::size_t first = 0;  ///< row of the batch
  };
  void take_states(compute::Device& device, std::size_t layer, compute::DeviceMatrix<const float> states,
                   std::span<const std::uint8_t> finite);
  void take_sentences(compute::Device& device, std::size_t layer, const compute::Sequences& sequences,
                      compute::DeviceMatrix<const float> states, std::span<const std::uint8_t> finite);

  std::vector<Member> members_;
  std::size_t tokens_ = 0;
  std::vector<std::uint8_t> needed_;  ///< rows whose last layer is needed; empty: all
};

}  // namespace markeval::embed
