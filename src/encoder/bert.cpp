// BERT (Devlin et al. 2019).
#include "encoder/bert_like.hpp"

namespace markeval::encoder {

std::unique_ptr<ModelArchitecture> make_bert(const ModelSource& source) {
  require_absolute_positions(source.config);
  const Dimensions dimensions = read_customary_dimensions(source.config, 1e-12);
  return std::make_unique<BertLike>(
      source.weights(), BertLike::Shape{.dimensions = dimensions,
                                        .position_rows = dimensions.max_length,
                                        .token_types = source.config.count_or("type_vocab_size", 2),
                                        .embedding = dimensions.hidden});
}

}  // namespace markeval::encoder
