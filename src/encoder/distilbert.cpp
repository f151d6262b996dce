// DistilBERT (Sanh et al. 2019): BERT without token types, under its own names for everything.
#include <fmt/format.h>

#include <vector>

#include "encoder/architecture.hpp"
#include "encoder/transformer_layer.hpp"

namespace markeval::encoder {
namespace {

LayerNames distilbert_names(std::size_t layer) {
  const std::string block = fmt::format("transformer.layer.{}.", layer);
  return {
      .query_key_value = {block + "attention.q_lin", block + "attention.k_lin", block + "attention.v_lin"},
      .attention_output = block + "attention.out_lin",
      .attention_norm = block + "sa_layer_norm",
      .up = block + "ffn.lin1",
      .down = block + "ffn.lin2",
      .output_norm = block + "output_layer_norm",
  };
}

class DistilBert final : public ModelArchitecture {
 public:
  DistilBert(const ModelWeights& weights, const Dimensions& dimensions)
      : dimensions_(dimensions),
        words_(weights.table("embeddings.word_embeddings.weight", dimensions.vocabulary, dimensions.hidden)),
        positions_(
            weights.table("embeddings.position_embeddings.weight", dimensions.max_length, dimensions.hidden)),
        embedding_norm_(
            weights.norm("embeddings.LayerNorm", dimensions.hidden, dimensions.layer_norm_epsilon)) {
    for (std::size_t layer = 0; layer < dimensions.layers; ++layer) {
      layers_.emplace_back(weights, dimensions, distilbert_names(layer));
    }
  }

  const Dimensions& dimensions() const override { return dimensions_; }

  void embed(Workspace& workspace, const DeviceBatch& batch,
             compute::DeviceMatrix<float> states) const override {
    const compute::EmbeddingTables tables{.words = words_.view(), .positions = positions_.view(), .type = {}};
    workspace.operations().embed(batch.ids, batch.positions, tables, embedding_norm_.view(), states);
  }

  void layer(Workspace& workspace, const DeviceBatch& batch, std::size_t index,
             compute::DeviceMatrix<float> states) const override {
    layers_[index].run(workspace, batch, states);
  }

 private:
  Dimensions dimensions_;
  compute::DeviceArray<float> words_, positions_;
  NormWeights embedding_norm_;
  std::vector<TransformerLayer> layers_;
};

}  // namespace

std::unique_ptr<ModelArchitecture> make_distilbert(const ModelSource& source) {
  const ConfigFile& config = source.config;
  Dimensions dimensions = read_sizes(config);
  dimensions.layer_norm_epsilon = 1e-12f;  // the model has no setting for it
  dimensions.activation = read_activation(config, "activation", "gelu");
  return std::make_unique<DistilBert>(source.weights(), dimensions);
}

}  // namespace markeval::encoder
