// BERT's body, which most of the others have as well: words, positions and token types summed and normed,
// projected to the hidden size where the embedding is narrower, then the blocks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "encoder/architecture.hpp"
#include "encoder/transformer_layer.hpp"

namespace markeval::encoder {

class BertLike : public ModelArchitecture {
 public:
  struct Shape {
    Dimensions dimensions;
    std::size_t position_rows = 0;
    std::optional<std::size_t> token_types{};
    std::size_t embedding = 0;  ///< columns of the tables
    std::string projection{};   ///< name of the linear that widens them; empty: none
    std::size_t blocks = 0;     ///< 0: one for each layer
    std::function<LayerNames(std::size_t block)> names = LayerNames::customary;
  };

  BertLike(const ModelWeights& weights, const Shape& shape);

  const Dimensions& dimensions() const override { return dimensions_; }
  void embed(Workspace& workspace, const DeviceBatch& batch,
             compute::DeviceMatrix<float> states) const override;
  void layer(Workspace& workspace, const DeviceBatch& batch, std::size_t index,
             compute::DeviceMatrix<float> states) const override;

 protected:
  const std::vector<TransformerLayer>& blocks() const { return blocks_; }

 private:
  Dimensions dimensions_;
  compute::DeviceArray<float> words_, positions_, type_;
  NormWeights embedding_norm_;
  std::optional<PackedLinear> projection_;
  std::vector<TransformerLayer> blocks_;
};

}  // namespace markeval::encoder
