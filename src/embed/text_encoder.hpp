// The one road from text to vectors: each distinct text of a block is looked up in the cache; what is missing
// is tokenised, packed into batches by length, run through the encoder and put where it belongs. Everybody
// who needs vectors of texts comes through here: pair, set and trained metrics, `embed`, `baseline`,
// training.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/encoder_options.hpp"
#include "base/packing.hpp"
#include "cache/vector_cache.hpp"
#include "embed/model_pool.hpp"
#include "embed/vector_source.hpp"

namespace markeval::embed {

/// Raised whenever the numbers that come out for the same weights and text change.
inline constexpr const char* kEncoderRevision = "3";

/// Texts so far, each as often as it was given.
struct CacheUse {
  std::size_t cached = 0;   ///< everything that was wanted came from the cache
  std::size_t encoded = 0;  ///< something of it had to be encoded
};

class TextEncoder final : public VectorSource {
 public:
  /// `models` and `cache` must outlive it. Loads nothing yet but the model's settings: where the cache has
  /// everything, weights are never read. Throws Error(usage) for a model that is not there, a precision the
  /// device has not, or a length the model does not take.
  TextEncoder(ModelPool& models, const EncoderOptions& options, cache::VectorCache& cache);

  PooledModel& model() { return *model_; }
  /// The row of a text where the user names none: last layer, the model's own pooling.
  SentenceRequest default_sentence() const;
  /// See compute::Device::numerics.
  std::string numerics() const { return model_->device().numerics(model_->precision()); }

  /// Packs all vectors of a block as records of the cache, for another process's VectorCache.
  void carry(const EncodedTexts& block, Packer& out);

  const CacheUse& cache_use() const { return counts_; }

  std::size_t last_layer() const override { return model_->last_layer(); }
  std::size_t width() const override { return model_->width(); }
  std::size_t limit() override { return limits_.tokens; }
  std::string model_name() const override { return model_->folder().name(); }
  std::vector<std::string> known_names() const override {
    return {model_name(), model_->folder().name_in_config()};
  }
  std::vector<std::pair<std::string, std::string>> signature() override;
  std::vector<TokenIds> token_ids(std::span<const std::string_view> texts,
                                  const RunContext& context) override;
  EncodedTexts encode(std::span<const std::string_view> texts, const EncodeRequest& request,
                      const TokenNeed& need, const RunContext& context) override;

 private:
  void tokenize(EncodedTexts& out, MissingTexts& missing, const TokenNeed& need, const RunContext& context);
  std::vector<cache::Key> key_prefixes(const EncodeRequest& request);
  void read_cache(EncodedTexts& out, MissingTexts& missing, const RunContext& context);
  using Record = FunctionRef<void(std::size_t slot, std::size_t part, const cache::Key& key,
                                  MatrixView<const float> rows, std::uint64_t note)>;
  void for_records(const EncodedTexts& out, Record record);
  void write_cache(const EncodedTexts& out, const MissingTexts& missing);

  std::shared_ptr<PooledModel> model_;
  cache::VectorCache& cache_;
  LengthLimits limits_;
  CacheUse counts_;
};

}  // namespace markeval::embed
