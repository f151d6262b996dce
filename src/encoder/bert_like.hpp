// BERT's body, which RoBERTa and ELECTRA have as well: words, positions and token types summed and normed,
// projected to the hidden size where the embedding is narrower, then the blocks under BERT's tensor names.
#pragma once

#include <optional>
#include <vector>

#include "encoder/architecture.hpp"
#include "encoder/transformer_layer.hpp"

namespace markeval::encoder {

class BertLike : public ModelArchitecture {
 public:
  struct Shape {
    Dimensions dimensions;
    std::size_t position_rows = 0;
    std::size_t token_types = 0;
    std::size_t embedding = 0;  ///< columns of the tables
  };

  BertLike(const ModelWeights& weights, const Shape& shape);

  const Dimensions& dimensions() const override { return dimensions_; }
  void embed(Workspace& workspace, const DeviceBatch& batch,
             compute::DeviceMatrix<float> states) const override;
  void layer(Workspace& workspace, const DeviceBatch& batch, std::size_t index,
             compute::DeviceMatrix<float> states) const override;

 private:
  Dimensions dimensions_;
  compute::DeviceArray<float> words_, positions_, type_;
  NormWeights embedding_norm_;
  std::optional<PackedLinear> projection_;
  std::vector<TransformerLayer> layers_;
};

}  // namespace markeval::encoder
