// The models of a program: each is opened when somebody first asks for it and kept for the next one, as long
// as its folder holds the same model. Any thread may ask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/turns.hpp"
#include "compute/device.hpp"
#include "embed/encode_queue.hpp"
#include "encoder/encoder.hpp"
#include "models/model_folder.hpp"
#include "token/token_limit.hpp"
#include "token/tokenizer.hpp"

namespace markeval::embed {

/// A model folder as it was when the object was made: its settings at once, tokenizer and weights when they
/// are first needed. The weights are those whose hash it gives, whatever becomes of the folder. For any
/// number of threads.
class PooledModel {
 public:
  /// `device` must outlive it. Throws Error with the file and what is wrong in it, and Error(usage) where the
  /// device has no such precision.
  PooledModel(const std::string& folder, compute::Device& device, compute::Precision precision);

  const models::ModelFolder& folder() const { return folder_; }
  compute::Precision precision() const { return precision_; }
  compute::Device& device() const { return device_; }
  std::size_t width() const { return sizes().width; }
  std::size_t last_layer() const { return sizes().layers; }

  /// Tokens of a text, special tokens included: `wanted`, where that is not 0, or what the model says for the
  /// purpose. Throws Error(usage) for more than the model has positions, and for fewer than one token beside
  /// the special ones.
  std::size_t limit(token::LimitFor purpose, std::size_t wanted);
  const token::Tokenizer& tokenizer();
  /// Fills `out`. Throws Error(invalid_input) where the tokenizer has ids the model has no row for, and what
  /// EncodeTask and EncodeQueue throw.
  void encode(const MissingTexts& missing, const LengthLimits& limits, EncodedTexts& out,
              const RunContext& context);

 private:
  struct Sizes {
    std::size_t width, layers;
  };
  Sizes sizes() const;
  encoder::Encoder& encoder();

  models::ModelFolder folder_;
  compute::Device& device_;
  compute::Precision precision_;
  // Read from the model's files when first asked for.
  mutable Turns reading_;
  mutable std::optional<Sizes> sizes_;
  std::optional<std::size_t> token_limit_, sentence_limit_;
  std::optional<token::Tokenizer> tokenizer_;
  Turns loading_;  ///< guards encoder_
  std::optional<encoder::Encoder> encoder_;
  EncodeQueue queue_;
};

class ModelPool {
 public:
  /// `device` must outlive it. Of models whose weights take more than `max_bytes` together, the one used
  /// longest ago is dropped; 0: all are kept.
  explicit ModelPool(compute::Device& device, std::uint64_t max_bytes = 0)
      : device_(device), max_bytes_(max_bytes) {}

  compute::Device& device() const { return device_; }
  /// By name or folder (models::find_model). Where the folder holds another model than last time, the new one
  /// is opened; who uses the old one keeps it. Throws what opening it throws.
  std::shared_ptr<PooledModel> get(const std::string& model, compute::Precision precision);

 private:
  struct HeldModel {
    std::shared_ptr<PooledModel> model;
    std::uint64_t used = 0;  ///< when, by the count of calls
  };
  void make_room(const PooledModel& wanted);

  compute::Device& device_;
  std::uint64_t max_bytes_;
  Turns opening_;  ///< guards calls_ and models_
  std::uint64_t calls_ = 0;
  std::map<std::pair<std::string, compute::Precision>, HeldModel> models_;
};

}  // namespace markeval::embed
