// Opening and loading on first use; when memory runs over its limit, the models unused for longest are
// dropped.
#include "embed/model_pool.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "encoder/config.hpp"
#include "models/store.hpp"

namespace markeval::embed {

PooledModel::PooledModel(const std::string& folder, compute::Device& device, compute::Precision precision)
    : folder_(folder), device_(device), precision_(precision) {
  if (!device.supports(precision))
    throw_usage(fmt::format("precision bf16: {} has no bf16 matrix products", device.name()));
}

PooledModel::Sizes PooledModel::sizes() const {
  const std::lock_guard lock(reading_);
  if (!sizes_) {
    const encoder::ConfigFile config = folder_.config();
    encoder::require_known_architecture(config);
    sizes_ = Sizes{config.size(encoder::Size::hidden), config.size(encoder::Size::layers)};
  }
  return *sizes_;
}

std::size_t PooledModel::limit(token::LimitFor purpose, std::size_t wanted) {
  if (wanted == 0) {
    const std::lock_guard lock(reading_);
    std::optional<std::size_t>& known = purpose == token::LimitFor::tokens ? token_limit_ : sentence_limit_;
    if (!known) known = folder_.token_limit(purpose);
    return *known;
  }
  const std::size_t specials = tokenizer().special_count();
  const std::size_t positions = folder_.position_limit();
  if (wanted > positions || wanted <= specials) {
    throw_usage(fmt::format("max-length {}: {} takes {} to {} tokens, special tokens included", wanted,
                            folder_.name(), specials + 1, positions));
  }
  return wanted;
}

const token::Tokenizer& PooledModel::tokenizer() {
  const std::lock_guard lock(reading_);
  if (!tokenizer_) tokenizer_.emplace(folder_.tokenizer());
  return *tokenizer_;
}

void PooledModel::encode(const MissingTexts& missing, const LengthLimits& limits, EncodedTexts& out,
                         const RunContext& context) {
  EncodeTask task(missing, limits, device_.batch_tokens(), out);
  queue_.run(encoder(), task, context);
}

// Under a lock of its own: loading packs weights in a loop of the device's pool, and a loop that runs there
// may ask for width() meanwhile.
encoder::Encoder& PooledModel::encoder() {
  const std::lock_guard lock(loading_);
  if (!encoder_) {
    const encoder::ConfigFile config = folder_.config();
    encoder::require_known_architecture(config);
    encoder_.emplace(config, folder_.weights(), device_, precision_);
    const std::size_t vocabulary = encoder_->dimensions().vocabulary;
    if (tokenizer().id_limit() > vocabulary) {
      encoder_.reset();
      throw_invalid(
          fmt::format("{}: the tokenizer does not fit the model: ids up to {}, the model's vocabulary has {}",
                      folder_.files().folder(), tokenizer().id_limit() - 1, vocabulary));
    }
  }
  return *encoder_;
}

std::shared_ptr<PooledModel> ModelPool::get(const std::string& model, compute::Precision precision) {
  const std::string folder = models::find_model(model.empty() ? models::kDefaultModel : model);
  const std::lock_guard lock(opening_);
  HeldModel& held = models_[{folder, precision}];
  if (held.model && !held.model->folder().is_current())
    held.model.reset();  // before the new one takes as much memory
  if (!held.model) held.model = std::make_shared<PooledModel>(folder, device_, precision);
  held.used = ++calls_;
  const std::shared_ptr<PooledModel> wanted = held.model;
  make_room(*wanted);
  return wanted;
}

void ModelPool::make_room(const PooledModel& wanted) {
  if (max_bytes_ == 0 || models_.size() < 2) return;
  const auto older = [](const auto& one, const auto& other) { return one.second.used < other.second.used; };
  for (;;) {
    std::uint64_t bytes = 0;
    for (const auto& [key, held] : models_) bytes += held.model ? held.model->folder().weight_bytes() : 0;
    const auto oldest = std::min_element(models_.begin(), models_.end(), older);
    if (bytes <= max_bytes_ || oldest->second.model.get() == &wanted) return;
    models_.erase(oldest);
  }
}

}  // namespace markeval::embed
