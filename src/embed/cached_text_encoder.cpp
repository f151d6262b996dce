#include "embed/cached_text_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "embed/model_store.hpp"
#include "embed/weight_hash.hpp"

namespace markeval::embed {
namespace {

constexpr std::size_t kTextsPerTask = 64;

std::optional<compute::Pooling> chosen_pooling(VectorRequest::Pool pool, const ModelSettings& settings) {
  switch (pool) {
    case VectorRequest::Pool::mean:
      return compute::Pooling::mean;
    case VectorRequest::Pool::cls:
      return compute::Pooling::cls;
    case VectorRequest::Pool::max:
      return compute::Pooling::max;
    case VectorRequest::Pool::none:
      return std::nullopt;
    case VectorRequest::Pool::model:
      break;
  }
  return settings.pooling;
}

}  // namespace

LayerChoice one_layer(std::optional<std::ptrdiff_t> layer) {
  return [layer](std::size_t last) -> std::vector<std::size_t> {
    if (!layer) {
      std::vector<std::size_t> all(last + 1);
      std::iota(all.begin(), all.end(), std::size_t{0});
      return all;
    }
    const auto count = static_cast<std::ptrdiff_t>(last) + 1;
    const std::ptrdiff_t index = *layer < 0 ? *layer + count : *layer;
    if (index < 0 || index >= count) {
      throw_usage(fmt::format("layer {}: the model has layers 0 to {} (or -1 to {} from the end)", *layer,
                              last, -count));
    }
    return {static_cast<std::size_t>(index)};
  };
}

CachedTextEncoder::CachedTextEncoder(const std::string& folder, EncoderStore& encoders,
                                     cache::VectorCache& cache, const VectorRequest& request,
                                     const RunContext& context)
    : folder_(folder),
      encoders_(encoders),
      request_(request),
      context_(context),
      settings_(read_model_settings(folder)),
      pooling_(chosen_pooling(request.pool, settings_)),
      normalize_(request.normalize || (request.pool == VectorRequest::Pool::model && settings_.normalize)),
      encoding_(cache, CacheContext({}), 0, context.pool) {
  const compute::Device& device = encoders.device();
  if (!device.supports(request.precision)) {
    throw_usage(fmt::format("precision bf16: {} has no bf16 matrix products", device.name()));
  }
  // What the encoder would say too, had it been loaded.
  const ModelInfo info = model_info(settings_.transformer_folder);
  width_ = info.hidden;
  last_layer_ = info.layers;
  if (width_ == 0 || last_layer_ == 0) {
    width_ = encoder().dimensions().hidden;
    last_layer_ = encoder().dimensions().layers;
  }
  layers_ = request.layers(last_layer_);
  encoding_ = CachedEncoding(cache, cache_context(), width_, context.pool);
}

std::string CachedTextEncoder::signature() const {
  return fmt::format("layer:{}|pool:{}|normalize:{}|max_length:{}|long:{}|precision:{}",
                     layers_.size() == last_layer_ + 1 ? "all" : fmt::format("{}", fmt::join(layers_, "+")),
                     pooling_ ? name(*pooling_) : "none", normalize_ ? "yes" : "no",
                     request_.max_length == 0 ? "model" : std::to_string(request_.max_length),
                     request_.long_text == LongText::window ? "window" : "truncate",
                     request_.precision == compute::Precision::f32 ? "f32" : "bf16");
}

CacheContext CachedTextEncoder::cache_context() const {
  return CacheContext(std::vector<CacheContext::Setting>{
      {"weights", weight_hash(settings_.transformer_folder)},
      {"settings", settings_hash(folder_)},
      {"vector", signature()},
      {"device", encoders_.device().name()},  // with its instruction set: the last bits depend on it
      {"encoder", kEncoderRevision}});
}

TextRequest CachedTextEncoder::text_request() {
  TextRequest request = pooling_ ? encoder().sentence_request() : encoder().token_request(layers_);
  request.layers = layers_;
  request.pooling = pooling_;
  request.normalize = normalize_;
  request.long_text = request_.long_text;
  if (request_.max_length > 0) request.max_length = encoder().checked_length(request_.max_length);
  return request;
}

void CachedTextEncoder::encode(std::span<const std::string_view> texts, RowsSink sink) {
  encoding_.run(
      texts, [&](std::span<const std::string_view> missing, RowsSink rows) { encode_missing(missing, rows); },
      sink);
}

void CachedTextEncoder::encode_missing(std::span<const std::string_view> texts, RowsSink sink) {
  std::size_t next = 0;
  std::vector<float> together;
  encoder().encode(
      [&](std::string_view& text) {
        if (next == texts.size()) return false;
        text = texts[next++];
        return true;
      },
      text_request(),
      [&](const EncodedText& text) {
        const TextNote note{static_cast<std::uint32_t>(text.tokens.counts.unknown),
                            static_cast<std::uint32_t>(text.tokens.counts.cut)};
        if (text.layers.size() == 1) return sink(text.index, text.layers.front(), note);
        const std::size_t rows = text.layers.front().rows();
        together.resize(rows * text.layers.size() * width_);
        float* to = together.data();
        for (std::size_t row = 0; row < rows; ++row) {
          for (const MatrixView<const float>& layer : text.layers)
            to = std::copy_n(layer.row(row).data(), width_, to);
        }
        sink(text.index, MatrixView<const float>(together.data(), rows * text.layers.size(), width_), note);
      },
      context_);
}

void CachedTextEncoder::tokenize(std::span<const std::string_view> texts, token::PackedBatch& batch) {
  std::vector<TextNote> notes;
  tokenize_texts(encoder().tokenizer(), texts, token_limit(), batch, notes, context_);
}

std::size_t CachedTextEncoder::token_limit() {
  const TextRequest request = text_request();
  return request.long_text == LongText::window ? token::kNoLimit : request.max_length;
}

void tokenize_texts(const token::Tokenizer& tokenizer, std::span<const std::string_view> texts,
                    std::size_t limit, token::PackedBatch& batch, std::vector<TextNote>& notes,
                    const RunContext& context) {
  const std::size_t tasks = (texts.size() + kTextsPerTask - 1) / kTextsPerTask;
  std::vector<token::PackedBatch> parts(tasks);
  std::vector<token::TokenizerScratch> scratch(context.pool.size());
  notes.resize(texts.size());
  context.pool.for_each(tasks, [&](std::size_t task, std::size_t worker) {
    context.check_cancelled();
    const std::size_t end = std::min(texts.size(), (task + 1) * kTextsPerTask);
    for (std::size_t index = task * kTextsPerTask; index < end; ++index) {
      const token::EncodeCounts found = tokenizer.append(texts[index], limit, scratch[worker], parts[task]);
      notes[index] = {static_cast<std::uint32_t>(found.unknown), static_cast<std::uint32_t>(found.cut)};
    }
  });
  batch.clear();
  for (const token::PackedBatch& part : parts) {
    const std::size_t offset = batch.ids.size();
    batch.ids.insert(batch.ids.end(), part.ids.begin(), part.ids.end());
    for (std::size_t index = 1; index < part.starts.size(); ++index) {
      batch.starts.push_back(offset + part.starts[index]);
    }
  }
}

}  // namespace markeval::embed
