#include "embed/encoder_store.hpp"

namespace markeval::embed {

ModelState EncoderStore::open(const std::string& folder) {
  ModelState& model = models_[folder];
  if (model && model->is_current()) return model;
  std::erase_if(encoders_, [&](const auto& entry) { return entry.first.first == folder; });
  model.reset();
  return model = std::make_shared<const models::ModelFolder>(folder);
}

std::shared_ptr<TextEncoder> EncoderStore::get(const ModelState& model, compute::Precision precision) {
  Loaded& loaded = encoders_[{model->path(), precision}];
  if (loaded.model == model) return loaded.encoder;
  auto encoder = std::make_shared<TextEncoder>(*model, device_, precision);
  loaded = {model, encoder};
  return encoder;
}

}  // namespace markeval::embed
