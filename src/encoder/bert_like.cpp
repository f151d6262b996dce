// The weights of the tables and blocks, the embedding sum, and one layer at a time.
#include "encoder/bert_like.hpp"

namespace markeval::encoder {

BertLike::BertLike(const ModelWeights& weights, const Shape& shape)
    : dimensions_(shape.dimensions),
      words_(
          weights.table("embeddings.word_embeddings.weight", shape.dimensions.vocabulary, shape.embedding)),
      positions_(
          weights.table("embeddings.position_embeddings.weight", shape.position_rows, shape.embedding)),
      embedding_norm_(
          weights.norm("embeddings.LayerNorm", shape.embedding, shape.dimensions.layer_norm_epsilon)) {
  if (shape.token_types) {
    type_ = weights.first_row("embeddings.token_type_embeddings.weight", *shape.token_types, shape.embedding);
  }
  if (!shape.projection.empty())
    projection_ = weights.linear(shape.projection, dimensions_.hidden, shape.embedding);
  const std::size_t blocks = shape.blocks > 0 ? shape.blocks : dimensions_.layers;
  for (std::size_t block = 0; block < blocks; ++block)
    blocks_.emplace_back(weights, dimensions_, shape.names(block));
}

void BertLike::embed(Workspace& workspace, const DeviceBatch& batch,
                     compute::DeviceMatrix<float> states) const {
  const compute::EmbeddingTables tables{
      .words = words_.view(), .positions = positions_.view(), .type = type_.view()};
  const auto sum = projection_ ? workspace.narrow(batch.rows(), words_.columns) : states;
  workspace.operations().embed(batch.ids, batch.positions, tables, embedding_norm_.view(), sum);
  if (projection_) multiply(workspace, sum, *projection_, states);
}

void BertLike::layer(Workspace& workspace, const DeviceBatch& batch, std::size_t index,
                     compute::DeviceMatrix<float> states) const {
  blocks_[index].run(workspace, batch, states);
}

}  // namespace markeval::encoder
