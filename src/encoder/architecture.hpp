// What every architecture is to the encoder, and the list of those there are. To add one: a file like
// bert.cpp, a line in architecture.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "encoder/config.hpp"
#include "encoder/weights.hpp"
#include "encoder/workspace.hpp"

namespace markeval::encoder {

class ModelArchitecture {
 public:
  virtual ~ModelArchitecture() = default;
  virtual const Dimensions& dimensions() const = 0;
  /// The row of the position table every token of one sequence takes: 0, 1, 2, ... unless the model counts
  /// otherwise.
  virtual void positions(std::span<const std::int32_t> ids, std::span<std::int32_t> out) const;
  /// Layer 0: the embedding output, into `states` (rows x hidden).
  virtual void embed(Workspace& workspace, const DeviceBatch& batch,
                     compute::DeviceMatrix<float> states) const = 0;
  /// States of layer `index` -> states of layer `index + 1`, in place.
  virtual void layer(Workspace& workspace, const DeviceBatch& batch, std::size_t index,
                     compute::DeviceMatrix<float> states) const = 0;
};

/// What an architecture is made from.
struct ModelSource {
  const ConfigFile& config;
  const WeightFiles& files;
  compute::Device& device;
  compute::Precision precision;

  ModelWeights weights(std::string_view anchor = "embeddings.word_embeddings.weight") const {
    return ModelWeights(files, anchor, device, precision);
  }
};

std::unique_ptr<ModelArchitecture> make_bert(const ModelSource& source);
std::unique_ptr<ModelArchitecture> make_roberta(const ModelSource& source);
std::unique_ptr<ModelArchitecture> make_distilbert(const ModelSource& source);
std::unique_ptr<ModelArchitecture> make_electra(const ModelSource& source);
std::unique_ptr<ModelArchitecture> make_mpnet(const ModelSource& source);
std::unique_ptr<ModelArchitecture> make_albert(const ModelSource& source);
std::unique_ptr<ModelArchitecture> make_deberta(const ModelSource& source);
std::unique_ptr<ModelArchitecture> make_modernbert(const ModelSource& source);

/// By the config's model_type. Throws Error(invalid_input) with those known where it is another.
std::unique_ptr<ModelArchitecture> make_architecture(const ModelSource& source);
/// The model_type names `make_architecture` knows.
std::vector<std::string> known_architectures();

/// RoBERTa's way of counting (MPNet and its other descendants have it too): from padding + 1 on, and a
/// padding token inside the text takes row `padding` without being counted.
void positions_after_padding(std::span<const std::int32_t> ids, std::size_t padding,
                             std::span<std::int32_t> out);

/// How many tokens are left of `rows` positions when counted that way. Throws Error(invalid_input) where none
/// is.
std::size_t usable_positions(const ConfigFile& config, std::size_t rows, std::size_t padding);

}  // namespace markeval::encoder
