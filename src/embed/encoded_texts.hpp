// What is wanted of texts, and what comes of it: tokens and vectors, a block of texts at a time; a text that
// occurs twice in the block is there once. The users of a run (metrics, `embed`, training) each say what they
// need; their requests are joined, and every text is encoded once for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "base/matrix_view.hpp"
#include "base/text_counts.hpp"
#include "compute/transformer.hpp"
#include "embed/token_set.hpp"

namespace markeval::embed {

/// One row for the whole text.
struct SentenceRequest {
  std::size_t layer = 0;
  compute::Pooling pooling = compute::Pooling::mean;
  bool normalize = false;  ///< to length 1

  bool operator==(const SentenceRequest&) const = default;
};

struct EncodeRequest {
  /// Layers whose states are wanted for every token, rising; 0 is the embedding output, N that of block N.
  std::vector<std::size_t> layers;
  std::vector<SentenceRequest> sentences;
  /// Token states go through the cache. They are large, so only users who come back for them ask for it.
  bool keeps_states = false;

  /// Adds what another user wants.
  void join(const EncodeRequest& other);
  bool wants_tokens() const { return !layers.empty(); }
  /// Every layer the encoder must reach, rising.
  std::vector<std::size_t> all_layers() const;
  /// Where a layer or sentence stands in the lists above; it must be there.
  std::size_t index_of(std::size_t layer) const;
  std::size_t index_of(const SentenceRequest& sentence) const;
};

/// Bytes [begin, end) of a text.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The tokens of a text. All lists have one entry per token, special tokens included.
struct TextTokens {
  std::vector<std::int32_t> ids;
  std::vector<TokenFact> facts;
  std::vector<TextRange> offsets;  ///< {0, 0} for special tokens

  std::size_t size() const { return ids.size(); }
};

/// One text of a block, as a metric reads it. Good as long as the block.
struct EncodedText {
  const TextTokens& tokens;
  const float* states;  ///< layer after layer, each tokens x width
  std::size_t width;
  const EncodeRequest& request;

  /// The states of a layer that was asked for.
  MatrixView<const float> layer(std::size_t number) const {
    return {states + request.index_of(number) * tokens.size() * width, tokens.size(), width};
  }
};

class EncodedTexts {
 public:
  /// How many texts were given, and how many distinct ones there are.
  std::size_t size() const { return slots_.size(); }
  std::size_t distinct() const { return entries_.size(); }
  /// The number of text `index` among the distinct ones.
  std::size_t slot(std::size_t index) const { return slots_[index]; }
  std::span<const std::uint32_t> slots() const { return slots_; }

  // Access by the slot of a distinct text:
  EncodedText text(std::size_t slot) const;
  /// The row of `request().sentences[which]`.
  std::span<const float> sentence(std::size_t slot, std::size_t which) const;
  /// Where token states were asked for.
  const TextCounts& counts(std::size_t slot) const { return entries_[slot].counts; }
  /// Where sentences were: their limit may be another one.
  const TextCounts& sentence_counts(std::size_t slot) const { return entries_[slot].sentence_counts; }
  std::string_view written(std::size_t slot) const { return entries_[slot].text; }

  const EncodeRequest& request() const { return request_; }
  std::size_t width() const { return width_; }

  // For those who fill it:

  struct TextEntry {
    std::string_view text;
    TextTokens tokens;
    TextCounts counts, sentence_counts;
    std::size_t first_state = 0;  ///< in the memory of states
  };

  enum class EqualTexts { once, apart };
  /// Takes the texts and finds out which of them are the same; `apart`: each has vectors of its own, however
  /// it reads.
  EncodedTexts(std::span<const std::string_view> texts, EncodeRequest request, std::size_t width,
               EqualTexts equal = EqualTexts::once);
  TextEntry& entry(std::size_t slot) { return entries_[slot]; }
  /// Makes room for the vectors, once the tokens are known.
  void allocate();
  MatrixView<float> states(std::size_t slot, std::size_t layer_index);
  std::span<float> sentence_row(std::size_t slot, std::size_t which);

 private:
  EncodeRequest request_;
  std::size_t width_;
  std::vector<std::uint32_t> slots_;
  std::vector<TextEntry> entries_;
  AlignedBuffer<float> states_;
  AlignedBuffer<float> sentences_;
};

/// Divides by the length; a row of zeros stays one.
void to_unit_length(std::span<float> row);

}  // namespace markeval::embed
