#include "embed/text_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "embed/text_window.hpp"

namespace markeval::embed {

struct TextEncoder::State {
  State(const models::ModelFolder& model, compute::Device& device, compute::Precision precision)
      : settings(model.settings()),
        tokenizer(model.tokenizer()),
        encoder(model.config(), model.weights(), device, precision),
        sentence_limit(std::min(model.token_limit(token::LimitFor::sentences), encoder.dimensions().max_length)),
        token_limit(std::min(model.token_limit(token::LimitFor::tokens), encoder.dimensions().max_length)) {
    if (tokenizer.id_limit() > encoder.dimensions().vocabulary) {
      throw_invalid(fmt::format(
          "{}: the tokenizer does not fit the model: ids up to {}, the model's vocabulary has {}",
          settings.transformer_folder, tokenizer.id_limit() - 1, encoder.dimensions().vocabulary));
    }
  }

  models::ModelSettings settings;
  token::Tokenizer tokenizer;
  encoder::Encoder encoder;
  std::size_t sentence_limit, token_limit;  ///< tokens of a text, special ones included
};

TextEncoder::TextEncoder(const models::ModelFolder& model, compute::Device& device,
                         compute::Precision precision)
    : state_(std::make_unique<State>(model, device, precision)) {}
TextEncoder::TextEncoder(const std::string& folder, compute::Device& device, compute::Precision precision)
    : TextEncoder(models::ModelFolder(folder), device, precision) {}
TextEncoder::~TextEncoder() = default;
TextEncoder::TextEncoder(TextEncoder&&) noexcept = default;

const encoder::Dimensions& TextEncoder::dimensions() const {
  return state_->encoder.dimensions();
}
const std::string& TextEncoder::architecture() const {
  return state_->encoder.architecture();
}
const models::ModelSettings& TextEncoder::settings() const {
  return state_->settings;
}
const token::Tokenizer& TextEncoder::tokenizer() const {
  return state_->tokenizer;
}

encoder::Encoder& TextEncoder::encoder() const {
  return state_->encoder;
}

TextRequest TextEncoder::sentence_request() const {
  const models::ModelSettings& settings = state_->settings;
  return {.layers = {dimensions().layers},
          .pooling = settings.pooling,
          .normalize = settings.normalize,
          .max_length = state_->sentence_limit};
}

TextRequest TextEncoder::token_request(std::vector<std::size_t> layers) const {
  return {.layers = std::move(layers), .pooling = {}, .max_length = state_->token_limit};
}

std::size_t TextEncoder::layer(std::ptrdiff_t number) const {
  const auto layers = static_cast<std::ptrdiff_t>(dimensions().layers);
  const std::ptrdiff_t index = number < 0 ? layers + 1 + number : number;
  if (index < 0 || index > layers) {
    throw_usage(fmt::format("layer {}: the model has layers 0 to {} (or -1 to {} from the end)", number,
                            layers, -layers - 1));
  }
  return static_cast<std::size_t>(index);
}

std::size_t TextEncoder::token_limit() const {
  return state_->token_limit;
}

std::size_t TextEncoder::checked_length(std::size_t max_length) const {
  const std::size_t specials = state_->tokenizer.special_count();
  if (max_length > dimensions().max_length || max_length <= specials) {
    throw_usage(fmt::format("max-length {}: the model takes {} to {} tokens, special tokens included",
                            max_length, specials + 1, dimensions().max_length));
  }
  return max_length;
}

TextCounts TextEncoder::encode(TextSource source, const TextRequest& request, TextSink sink,
                               const RunContext& context) {
  TextCounts counts;
  TextWindow window(state_->encoder, state_->tokenizer, request, context);
  while (window.fill(source)) {
    window.encode();
    counts += window.deliver(counts.texts, sink);
  }
  return counts;
}

TextCounts& TextCounts::operator+=(const TextCounts& other) {
  texts += other.texts;
  tokens += other.tokens;
  empty += other.empty;
  truncated += other.truncated;
  cut_tokens += other.cut_tokens;
  windowed += other.windowed;
  unknown += other.unknown;
  return *this;
}

}  // namespace markeval::embed
