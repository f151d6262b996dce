// DistilBERT (Sanh et al. 2019): BERT without token types, under its own names for everything.
#include <fmt/format.h>

#include "encoder/bert_like.hpp"

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

}  // namespace

std::unique_ptr<ModelArchitecture> make_distilbert(const ModelSource& source) {
  const ConfigFile& config = source.config;
  Dimensions dimensions = read_sizes(config);
  dimensions.layer_norm_epsilon = 1e-12f;  // the model has no setting for it
  dimensions.activation = read_activation(config, "activation", "gelu");
  return std::make_unique<BertLike>(source.weights(), BertLike::Shape{.dimensions = dimensions,
                                                                      .position_rows = dimensions.max_length,
                                                                      .embedding = dimensions.hidden,
                                                                      .names = distilbert_names});
}

}  // namespace markeval::encoder
