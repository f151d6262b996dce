// The one road from text to vectors: each distinct text of a block is looked up in the cache; what is missing
// is tokenised, packed into batches by length, run through the encoder and put where it belongs. Everybody
// who needs vectors of texts comes through here: pair, set and trained metrics, `embed`, `baseline`,
// training.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/encoder_options.hpp"
#include "base/packing.hpp"
#include "cache/vector_cache.hpp"
#include "embed/encoder_run.hpp"
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

/// Texts that several runs are about to ask for with the same options, of clients that wait at the same time.
/// The first run to encode any of them encodes all of them in common batches; the others find theirs here. A
/// text's vectors depend on that text alone, so nobody's numbers change. Runs follow each other until
/// is_encoded(); from then on they may be made by several threads at once.
class TextsAhead {
 public:
  TextsAhead(EncoderOptions options, std::vector<std::string> texts)
      : options_(std::move(options)), texts_(std::move(texts)) {}
  TextsAhead(const TextsAhead&) = delete;
  TextsAhead& operator=(const TextsAhead&) = delete;

  bool is_encoded() const { return encoded_.has_value(); }

 private:
  friend class TextEncoder;
  EncoderOptions options_;
  std::vector<std::string> texts_;
  bool tried_ = false;                  ///< somebody has tried to encode them: only the first one does
  std::shared_ptr<PooledModel> model_;  ///< owns what the tokens point at
  std::mutex mutex_;                    ///< for a run that needs other vectors than the first one
  std::optional<EncodedTexts> encoded_;
  std::unordered_map<std::string_view, std::size_t> places_;  ///< in encoded_
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
  /// "f32", or "bf16-amx": bf16 rounds differently from one instruction set to the next.
  std::string precision() const;

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
  EncodedTexts encode_now(std::span<const std::string_view> texts, const EncodeRequest& request,
                          const TokenNeed& need, const RunContext& context);
  std::optional<EncodedTexts> encode_ahead(std::span<const std::string_view> texts,
                                           const EncodeRequest& request, const RunContext& context);
  void tokenize(EncodedTexts& out, MissingTexts& missing, const TokenNeed& need, const RunContext& context);
  std::vector<cache::Key> key_prefixes(const EncodeRequest& request);
  void read_cache(EncodedTexts& out, MissingTexts& missing, const RunContext& context);
  using Record = FunctionRef<void(std::size_t place, std::size_t part, const cache::Key& key,
                                  MatrixView<const float> rows, std::uint64_t note)>;
  void for_records(const EncodedTexts& out, Record record);
  void write_cache(const EncodedTexts& out, const MissingTexts& missing);

  std::shared_ptr<TextsAhead> ahead_;  ///< may be empty
  std::shared_ptr<PooledModel> model_;
  cache::VectorCache& cache_;
  LengthLimits limits_;
  CacheUse counts_;
};

}  // namespace markeval::embed
