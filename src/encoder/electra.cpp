// ELECTRA's discriminator (Clark et al. 2020): BERT with embeddings that may be narrower than the blocks.
#include "encoder/bert_like.hpp"

namespace markeval::encoder {

std::unique_ptr<ModelArchitecture> make_electra(const ModelSource& source) {
  require_absolute_positions(source.config);
  const Dimensions dimensions = read_customary_dimensions(source.config, 1e-12);
  const std::size_t embedding = source.config.positive_or("embedding_size", 128);
  return std::make_unique<BertLike>(
      source.weights(),
      BertLike::Shape{.dimensions = dimensions,
                      .position_rows = dimensions.max_length,
                      .token_types = source.config.count_or("type_vocab_size", 2),
                      .embedding = embedding,
                      .projection = embedding == dimensions.hidden ? "" : "embeddings_project"});
}

}  // namespace markeval::encoder
