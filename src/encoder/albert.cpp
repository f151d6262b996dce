// ALBERT (Lan et al. 2020): embeddings narrower than the blocks, and the blocks share their weights: one
// group (as all published models have) or several take turns.
#include <fmt/format.h>

#include <vector>

#include "base/error.hpp"
#include "encoder/architecture.hpp"
#include "encoder/transformer_layer.hpp"

namespace markeval::encoder {
namespace {

struct Sharing {
  std::size_t embedding, position_rows, token_types;
  std::size_t groups, blocks_per_group;
};

LayerNames albert_names(std::size_t group, std::size_t block_in_group) {
  const std::string block =
      fmt::format("encoder.albert_layer_groups.{}.albert_layers.{}.", group, block_in_group);
  return {
      .query_key_value = {block + "attention.query", block + "attention.key", block + "attention.value"},
      .attention_output = block + "attention.dense",
      .attention_norm = block + "attention.LayerNorm",
      .up = block + "ffn",
      .down = block + "ffn_output",
      .output_norm = block + "full_layer_layer_norm",
  };
}

class Albert final : public ModelArchitecture {
 public:
  Albert(const ModelWeights& weights, const Dimensions& dimensions, const Sharing& sharing)
      : dimensions_(dimensions),
        sharing_(sharing),
        words_(weights.table("embeddings.word_embeddings.weight", dimensions.vocabulary, sharing.embedding)),
        positions_(
            weights.table("embeddings.position_embeddings.weight", sharing.position_rows, sharing.embedding)),
        type_(weights.first_row("embeddings.token_type_embeddings.weight", sharing.token_types,
                                sharing.embedding)),
        embedding_norm_(
            weights.norm("embeddings.LayerNorm", sharing.embedding, dimensions.layer_norm_epsilon)),
        projection_(
            weights.linear("encoder.embedding_hidden_mapping_in", dimensions.hidden, sharing.embedding)) {
    for (std::size_t group = 0; group < sharing.groups; ++group) {
      for (std::size_t block = 0; block < sharing.blocks_per_group; ++block) {
        blocks_.emplace_back(weights, dimensions, albert_names(group, block));
      }
    }
  }

  const Dimensions& dimensions() const override { return dimensions_; }

  void embed(Workspace& workspace, const DeviceBatch& batch,
             compute::DeviceMatrix<float> states) const override {
    const compute::EmbeddingTables tables{
        .words = words_.view(), .positions = positions_.view(), .type = type_.view()};
    const auto narrow = workspace.narrow(batch.rows(), sharing_.embedding);
    workspace.operations().embed(batch.ids, batch.positions, tables, embedding_norm_.view(), narrow);
    multiply(workspace, narrow, projection_, states);
  }

  void layer(Workspace& workspace, const DeviceBatch& batch, std::size_t index,
             compute::DeviceMatrix<float> states) const override {
    const std::size_t group = index * sharing_.groups / dimensions_.layers;
    for (std::size_t block = 0; block < sharing_.blocks_per_group; ++block) {
      const bool last = block + 1 == sharing_.blocks_per_group;
      blocks_[group * sharing_.blocks_per_group + block].run(workspace, last ? batch : batch.with_all_rows(),
                                                             states);
    }
  }

 private:
  Dimensions dimensions_;
  Sharing sharing_;
  compute::DeviceArray<float> words_, positions_, type_;
  NormWeights embedding_norm_;
  PackedLinear projection_;
  std::vector<TransformerLayer> blocks_;
};

}  // namespace

std::unique_ptr<ModelArchitecture> make_albert(const ModelSource& source) {
  require_absolute_positions(source.config);
  const Dimensions dimensions = read_customary_dimensions(source.config, 1e-12, "gelu_new");
  const Sharing sharing{.embedding = source.config.positive("embedding_size"),
                        .position_rows = dimensions.max_length,
                        .token_types = source.config.count_or("type_vocab_size", 2),
                        .groups = source.config.count_or("num_hidden_groups", 1),
                        .blocks_per_group = source.config.positive_or("inner_group_num", 1)};
  if (sharing.groups == 0 || sharing.groups > dimensions.layers) {
    throw_invalid(fmt::format("{}: num_hidden_groups is {}, expected 1 to {} (num_hidden_layers)",
                              source.config.path(), sharing.groups, dimensions.layers));
  }
  return std::make_unique<Albert>(source.weights(), dimensions, sharing);
}

}  // namespace markeval::encoder
