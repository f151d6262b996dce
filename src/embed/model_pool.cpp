#include "embed/model_pool.hpp"

#include <fmt/format.h>

#include <array>

#include "base/error.hpp"
#include "base/suggestion.hpp"
#include "embed/model_store.hpp"
#include "embed/weight_hash.hpp"
#include "encoder/config.hpp"

namespace markeval::embed {

compute::Precision parse_precision(const std::string& precision) {
  if (precision == "f32") return compute::Precision::f32;
  if (precision == "bf16") return compute::Precision::bf16;
  const std::array<std::string, 2> known{"f32", "bf16"};
  throw_usage(fmt::format("unknown precision '{}'{}", precision, suggestion(precision, known)));
}

Model::Model(const std::string& folder, compute::Device& device, compute::Precision precision)
    : folder_(folder),
      device_(device),
      precision_(precision),
      settings_(read_model_settings(folder)),
      name_(model_name(folder)) {
  if (!device.supports(precision))
    throw_usage(fmt::format("precision bf16: {} has no bf16 matrix products", device.name()));
  origin_ = name_in_config(folder);
}

const Model::Sizes& Model::sizes() const {
  if (!sizes_) {
    const encoder::ConfigFile config(settings_.transformer_folder);
    sizes_ = Sizes{config.size(encoder::Size::hidden), config.size(encoder::Size::layers)};
  }
  return *sizes_;
}

std::size_t Model::limit(token::LimitFor purpose, std::size_t wanted) {
  if (wanted == 0) return token::token_limit(settings_.transformer_folder, purpose);
  const std::size_t specials = tokenizer().special_count();
  const std::size_t positions = token::position_limit(settings_.transformer_folder);
  if (wanted > positions || wanted <= specials) {
    throw_usage(fmt::format("max-length {}: {} takes {} to {} tokens, special tokens included", wanted, name_,
                            specials + 1, positions));
  }
  return wanted;
}

const token::Tokenizer& Model::tokenizer() {
  if (!tokenizer_) tokenizer_.emplace(token::Tokenizer::load(settings_.transformer_folder));
  return *tokenizer_;
}

encoder::Encoder& Model::encoder() {
  if (!encoder_) {
    encoder_.emplace(settings_.transformer_folder, device_, precision_);
    const std::size_t vocabulary = encoder_->dimensions().vocabulary;
    if (tokenizer().id_limit() > vocabulary) {
      encoder_.reset();
      throw_invalid(
          fmt::format("{}: the tokenizer does not fit the model: ids up to {}, the model's vocabulary has {}",
                      settings_.transformer_folder, tokenizer().id_limit() - 1, vocabulary));
    }
  }
  return *encoder_;
}

const std::string& Model::weight_hash() {
  if (weight_hash_.empty()) weight_hash_ = embed::weight_hash(settings_.transformer_folder);
  return weight_hash_;
}
const std::string& Model::settings_hash() {
  if (settings_hash_.empty()) settings_hash_ = embed::settings_hash(folder_);
  return settings_hash_;
}
std::string Model::signature() {
  return fmt::format("{}@{}", name_, weight_hash().substr(0, 8));
}

Model& ModelPool::get(const std::string& model, compute::Precision precision) {
  const std::string folder = find_model(model.empty() ? kDefaultModel : model);
  std::unique_ptr<Model>& found = models_[{folder, precision}];
  if (!found) found = std::make_unique<Model>(folder, device_, precision);
  return *found;
}

}  // namespace markeval::embed
