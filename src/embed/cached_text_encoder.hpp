// Lines in, vectors out, with the cache in between: what was encoded before is read, the rest goes through a
// TextEncoder, which is loaded when the first text needs it. Used by `markeval embed` and set metrics.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cache/vector_cache.hpp"
#include "embed/cached_encoding.hpp"
#include "embed/encoder_store.hpp"
#include "embed/model_settings.hpp"
#include "embed/text_encoder.hpp"

namespace markeval::embed {

/// The layers to give, in rising order, of a model whose last one is `last`; layer 0 is the embedding output.
using LayerChoice = std::function<std::vector<std::size_t>(std::size_t last)>;
/// One layer, -1 the last, -2 the one before: throws Error(usage) where the model has not got it. None: all.
LayerChoice one_layer(std::optional<std::ptrdiff_t> layer);
/// Raised whenever the numbers that come out for the same weights and text change.
inline constexpr const char* kEncoderRevision = "1";

struct VectorRequest {
  enum class Pool { model, mean, cls, max, none };

  LayerChoice layers = one_layer(-1);
  Pool pool = Pool::model;  ///< model: its own pooling and normalisation
  bool normalize = false;
  std::size_t max_length = 0;  ///< 0: the model's own limit
  LongText long_text = LongText::truncate;
  compute::Precision precision = compute::Precision::f32;
};

class CachedTextEncoder {
 public:
  /// `encoders`, `cache` and `context` must outlive it. Throws Error for a folder that is no model, for a
  /// layer the model has not, and Error(usage) where the device lacks the precision.
  CachedTextEncoder(const std::string& folder, EncoderStore& encoders, cache::VectorCache& cache,
                    const VectorRequest& request, const RunContext& context);

  std::size_t width() const { return width_; }
  std::size_t layers() const { return layers_.size(); }
  /// Which they are.
  std::span<const std::size_t> layer_numbers() const { return layers_; }
  std::size_t last_layer() const { return last_layer_; }
  /// None: one row per token.
  std::optional<compute::Pooling> pooling() const { return pooling_; }
  bool by_token() const { return !pooling_; }
  /// "layer:6|pool:mean|normalize:yes|max_length:model|long:truncate|precision:f32"
  std::string signature() const;

  /// A window of texts, stripped (text::strip) and valid UTF-8. `sink` gets them in order: one row per layer,
  /// or per token and layer, the layers of a token together.
  void encode(std::span<const std::string_view> texts, RowsSink sink);
  /// The token ids of the same texts, where the rows are tokens.
  void tokenize(std::span<const std::string_view> texts, token::PackedBatch& batch);
  /// How many tokens of a text are looked at: what tokenizing for oneself must keep to.
  std::size_t token_limit();
  /// Loads it where that has not happened yet.
  TextEncoder& encoder() { return encoders_.get(folder_, request_.precision); }

 private:
  CacheContext cache_context() const;
  void encode_missing(std::span<const std::string_view> texts, RowsSink sink);
  TextRequest text_request();

  std::string folder_;
  EncoderStore& encoders_;
  VectorRequest request_;
  const RunContext& context_;
  ModelSettings settings_;
  std::size_t width_ = 0;
  std::size_t last_layer_ = 0;
  std::vector<std::size_t> layers_;
  std::optional<compute::Pooling> pooling_;
  bool normalize_ = false;
  CachedEncoding encoding_;
};

/// Token ids of many texts, at most `limit` each, with the threads of the context; `notes` where they are
/// wanted.
void tokenize_texts(const token::Tokenizer& tokenizer, std::span<const std::string_view> texts,
                    std::size_t limit, token::PackedBatch& batch, std::vector<TextNote>& notes,
                    const RunContext& context);

}  // namespace markeval::embed
