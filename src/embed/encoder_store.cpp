#include "embed/encoder_store.hpp"

namespace markeval::embed {

TextEncoder& EncoderStore::get(const std::string& folder, compute::Precision precision) {
  std::unique_ptr<TextEncoder>& encoder = encoders_[{folder, precision}];
  if (!encoder) encoder = std::make_unique<TextEncoder>(folder, device_, precision);
  return *encoder;
}

}  // namespace markeval::embed
