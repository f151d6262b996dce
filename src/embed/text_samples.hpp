// Texts -> the rows a set metric compares: one pooled row per text, or one row per kept word and layer.
// Rows lie in one piece of memory of exactly their size; what was encoded before comes from the
// cache.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "base/matrix_view.hpp"
#include "base/run_context.hpp"
#include "embed/cached_text_encoder.hpp"
#include "embed/token_source.hpp"

namespace markeval::embed {

enum class SampleUnit { sentence, word };

struct SampleRequest {
  SampleUnit unit = SampleUnit::sentence;
  LayerChoice layers = one_layer(-1);  ///< of sentences: one
  std::size_t max_length = 0;          ///< tokens of a text, specials included; 0: the model's own limit
  LongText long_text = LongText::truncate;
  compute::Precision precision = compute::Precision::f32;
};

struct SampleCounts {
  std::size_t texts = 0;
  std::size_t truncated = 0;  ///< texts that lost tokens at the limit
  std::size_t unknown = 0;    ///< tokens the vocabulary lacks

  SampleCounts& operator+=(const SampleCounts& other);
};

struct TextSamples {
  AlignedBuffer<float> values;
  std::size_t columns = 0;
  std::size_t layers = 1;              ///< rows of one word; 1 for sentences
  std::vector<std::size_t> starts{0};  ///< text i has rows [starts[i], starts[i + 1])
  std::vector<TextRange> words;        ///< bytes of the text, one per word; none for sentences
  SampleCounts counts;

  std::size_t texts() const { return starts.size() - 1; }
  std::size_t rows() const { return starts.back(); }
  MatrixView<const float> view() const { return {values.data(), rows(), columns}; }
  MatrixView<const float> view(std::size_t text) const {
    return view().rows_from(starts[text], starts[text + 1] - starts[text]);
  }
  /// The text a row belongs to.
  std::size_t text_of(std::size_t row) const;
};

class SampleEncoder {
 public:
  /// Everything given must outlive it. Throws as CachedTextEncoder does.
  SampleEncoder(const std::string& folder, EncoderStore& encoders, cache::VectorCache& cache,
                const SampleRequest& request, const RunContext& context);

  std::span<const std::size_t> layers() const { return encoder_.layer_numbers(); }
  std::size_t last_layer() const { return encoder_.last_layer(); }
  std::size_t width() const { return encoder_.width(); }
  /// Of sentences.
  compute::Pooling pooling() const { return encoder_.pooling().value(); }

  /// The texts, stripped (text::strip) and valid UTF-8. `name` is what progress calls them. A text's rows
  /// depend on that text alone. Words: those tokens that are not special, start a word (not "##ing"; for
  /// byte-level BPE and Unigram the first piece of each pre-token) and are no single punctuation character;
  /// the layers of a word together.
  TextSamples encode(std::span<const std::string_view> texts, const std::string& name);

 private:
  std::vector<std::vector<std::uint32_t>> find_words(std::span<const std::string_view> texts,
                                                     TextSamples& samples);

  SampleUnit unit_;
  const RunContext& context_;
  CachedTextEncoder encoder_;
};

}  // namespace markeval::embed
