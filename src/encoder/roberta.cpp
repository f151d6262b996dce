// RoBERTa (Liu et al. 2019), and under other names XLM-R (Conneau et al. 2020) and CamemBERT (Martin et al.
// 2020): BERT whose positions are counted from the padding token's id + 1, which costs as many positions.
#include "encoder/bert_like.hpp"

namespace markeval::encoder {
namespace {

class Roberta final : public BertLike {
 public:
  Roberta(const ModelWeights& weights, const Shape& shape, std::size_t padding)
      : BertLike(weights, shape), padding_(padding) {}
  void positions(std::span<const std::int32_t> ids, std::span<std::int32_t> out) const override {
    positions_after_padding(ids, padding_, out);
  }

 private:
  std::size_t padding_;
};

}  // namespace

std::unique_ptr<ModelArchitecture> make_roberta(const ModelSource& source) {
  require_absolute_positions(source.config);
  BertLike::Shape shape{.dimensions = read_customary_dimensions(source.config, 1e-12)};
  shape.position_rows = shape.dimensions.max_length;
  shape.token_types = source.config.count_or("type_vocab_size", 2);
  shape.embedding = shape.dimensions.hidden;
  const std::size_t padding = source.config.count_or("pad_token_id", 1);
  shape.dimensions.max_length = usable_positions(source.config, shape.position_rows, padding);
  return std::make_unique<Roberta>(source.weights(), shape, padding);
}

}  // namespace markeval::encoder
