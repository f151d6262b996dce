// ALBERT (Lan et al. 2020): embeddings narrower than the blocks, and the blocks share their weights: one
// group (as all published models have) or several take turns.
#include <fmt/format.h>

#include <limits>

#include "base/error.hpp"
#include "encoder/bert_like.hpp"

namespace markeval::encoder {
namespace {

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

class Albert final : public BertLike {
 public:
  Albert(const ModelWeights& weights, const Shape& shape, std::size_t groups)
      : BertLike(weights, shape), groups_(groups) {}

  void layer(Workspace& workspace, const DeviceBatch& batch, std::size_t index,
             compute::DeviceMatrix<float> states) const override {
    const std::size_t group = index * groups_ / dimensions().layers;
    const std::size_t in_group = blocks().size() / groups_;
    for (std::size_t block = 0; block < in_group; ++block) {
      const bool last = block + 1 == in_group;
      blocks()[group * in_group + block].run(workspace, last ? batch : batch.with_all_rows(), states);
    }
  }

 private:
  std::size_t groups_;
};

}  // namespace

std::unique_ptr<ModelArchitecture> make_albert(const ModelSource& source) {
  require_absolute_positions(source.config);
  const Dimensions dimensions = read_customary_dimensions(source.config, 1e-12, "gelu_new");
  BertLike::Shape shape{.dimensions = dimensions,
                        .position_rows = dimensions.max_length,
                        .token_types = source.config.count_or("type_vocab_size", 2),
                        .embedding = source.config.positive("embedding_size"),
                        .projection = "encoder.embedding_hidden_mapping_in"};
  const std::size_t groups = source.config.count_or("num_hidden_groups", 1);
  const std::size_t in_group = source.config.positive_or("inner_group_num", 1);
  if (groups == 0 || groups > dimensions.layers) {
    throw_invalid(fmt::format("{}: num_hidden_groups is {}, expected 1 to {} (num_hidden_layers)",
                              source.config.path(), groups, dimensions.layers));
  }
  // A file that claims more blocks than it can have fails at the first that is not there.
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  shape.blocks = in_group > kMost / groups ? kMost : groups * in_group;
  shape.names = [in_group](std::size_t block) { return albert_names(block / in_group, block % in_group); };
  return std::make_unique<Albert>(source.weights(), shape, groups);
}

}  // namespace markeval::encoder
