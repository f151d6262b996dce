// Lines in, vectors out: the tokenizer and the encoder of a model folder as one. Streams: memory is bounded
// by a window of texts, results come in the order of the texts. Used by `markeval embed` and every metric
// that takes text.
//
//   embed::TextEncoder encoder("models/all-MiniLM-L6-v2", device);
//   encoder.encode(next_line, encoder.sentence_request(), [&](const embed::EncodedText& text) { ... },
//   context);
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/matrix_view.hpp"
#include "base/parallel.hpp"
#include "base/run_context.hpp"
#include "compute/device.hpp"
#include "encoder/encoder.hpp"
#include "models/model_folder.hpp"
#include "token/tokenizer.hpp"

namespace markeval::embed {

enum class LongText {
  truncate,  ///< cut at the limit and counted
  window,    ///< encoded in overlapping windows, shared tokens averaged
};

struct TextRequest {
  std::vector<std::size_t> layers;          ///< in rising order; 0 is the embedding output
  std::optional<compute::Pooling> pooling;  ///< none: one row per token, special tokens included
  bool normalize = false;                   ///< rows to length 1
  std::size_t max_length = 0;               ///< tokens of a sequence, special tokens included
  LongText long_text = LongText::truncate;
};

/// What encoding found besides the vectors; reported, never silent.
struct TextCounts {
  std::size_t texts = 0;
  std::size_t tokens = 0;      ///< encoded, special tokens included
  std::size_t empty = 0;       ///< texts without a token of their own
  std::size_t truncated = 0;   ///< texts that lost tokens at the limit
  std::size_t cut_tokens = 0;  ///< tokens they lost
  std::size_t windowed = 0;    ///< texts encoded in more than one window
  std::size_t unknown = 0;     ///< tokens that stand for what the vocabulary lacks

  TextCounts& operator+=(const TextCounts& other);
};

struct EncodedText {
  std::size_t index;  ///< of the text, from 0 on
  const token::Encoding& tokens;
  std::span<const MatrixView<const float>> layers;  ///< as asked for: one row, or one per token
};

/// Puts the next text into its argument, stripped of white space at both ends (text::strip) and valid UTF-8;
/// good until the next call. False when there is none.
using TextSource = FunctionRef<bool(std::string_view& text)>;
/// Everything in the argument is valid until the function returns.
using TextSink = FunctionRef<void(const EncodedText& text)>;

class TextEncoder {
 public:
  /// Loads settings, tokenizer and weights. `device` must outlive the encoder. Throws Error with the file and
  /// what is wrong in it; Error(invalid_input) where the tokenizer has ids the model has no row for.
  TextEncoder(const models::ModelFolder& model, compute::Device& device,
              compute::Precision precision = compute::Precision::f32);
  TextEncoder(const std::string& folder, compute::Device& device,
              compute::Precision precision = compute::Precision::f32);
  ~TextEncoder();
  TextEncoder(TextEncoder&&) noexcept;

  const encoder::Dimensions& dimensions() const;
  const std::string& architecture() const;
  const models::ModelSettings& settings() const;
  const token::Tokenizer& tokenizer() const;
  encoder::Encoder& encoder() const;

  /// Last layer, the model's own pooling and normalisation, the limit for sentence vectors.
  TextRequest sentence_request() const;
  /// One row per token of these layers, the limit for token vectors.
  TextRequest token_request(std::vector<std::size_t> layers) const;
  /// -1 is the last layer, -2 the one before. Throws Error(usage) for a layer the model has not.
  std::size_t layer(std::ptrdiff_t number) const;
  /// Tokens of a text, specials included, where token vectors are wanted.
  std::size_t token_limit() const;
  /// The user's --max-length. Throws Error(usage) where the model has fewer positions, or no token would be
  /// left.
  std::size_t checked_length(std::size_t max_length) const;

  /// Not to be called by two threads at once. The vectors of a text depend on that text alone, to the bit.
  TextCounts encode(TextSource source, const TextRequest& request, TextSink sink, const RunContext& context);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace markeval::embed
