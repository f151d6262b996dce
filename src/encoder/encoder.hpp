// Token ids in, hidden states out: a model folder loaded onto a device. Who uses it: embed (sentence vectors,
// token vectors of chosen layers).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/parallel.hpp"
#include "compute/device.hpp"
#include "compute/transformer.hpp"
#include "encoder/config.hpp"
#include "encoder/weight_files.hpp"
#include "token/packed_batch.hpp"

namespace markeval::encoder {

/// Given the states of a wanted layer (rows of the batch x hidden size) as soon as they are there. They are
/// the encoder's own memory: valid until the function returns.
using LayerSink = FunctionRef<void(std::size_t layer, const compute::Sequences& sequences,
                                   compute::DeviceMatrix<const float> states)>;

/// Throws Error(invalid_input) that names the architectures there are. To be asked before weights are looked
/// for: of a model that cannot be used it is of no interest what else is missing.
void require_known_architecture(const ConfigFile& config);

class Encoder {
 public:
  /// Loads config.json and the weights of a Hugging Face folder. `device` must outlive the encoder. bf16
  /// rounds the weights and the inputs of matrix products; Error(usage) where the device has no such
  /// products.
  Encoder(const std::string& folder, compute::Device& device,
          compute::Precision precision = compute::Precision::f32);
  /// The same from files that are open. Throws Error(io) where they were written to since they were opened: a
  /// hash of them, taken before or after, is that of the weights loaded.
  Encoder(const ConfigFile& config, const WeightFiles& weights, compute::Device& device,
          compute::Precision precision = compute::Precision::f32);
  ~Encoder();
  Encoder(Encoder&&) noexcept;

  const Dimensions& dimensions() const;
  const std::string& architecture() const;  ///< the config's model_type
  compute::Device& device() const;

  /// Layer 0 is the embedding output, layer N the output of block N. `layers` in rising order; nothing above
  /// the last is computed. States depend on the sequence alone, to the bit. Not to be called by two threads
  /// at once. Throws Error(invalid_input) for an empty sequence, one longer than dimensions().max_length, an
  /// id outside the vocabulary, or a layer the model has not.
  /// `wanted`: a mask of the batch's rows, where the states of the last of `layers` are not needed for all;
  /// the others may then hold anything there. Empty: all are.
  void run(const token::PackedBatch& batch, std::span<const std::size_t> layers, LayerSink sink,
           std::span<const std::uint8_t> wanted = {});

 private:
  struct LoadedEncoder;
  std::unique_ptr<LoadedEncoder> state_;
};

}  // namespace markeval::encoder
