// MPNet (Song et al. 2020): RoBERTa's positions, no token types, and one learned bias per head and bucketed
// distance that all blocks add to their attention scores.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/elementary.hpp"
#include "base/error.hpp"
#include "encoder/bert_like.hpp"

namespace markeval::encoder {
namespace {

constexpr std::size_t kPadding = 1;  // the model knows no other
constexpr std::ptrdiff_t kMaxDistance = 128;

LayerNames mpnet_names(std::size_t layer) {
  const std::string block = fmt::format("encoder.layer.{}.", layer);
  LayerNames result = LayerNames::customary(layer);
  result.query_key_value = {block + "attention.attn.q", block + "attention.attn.k",
                            block + "attention.attn.v"};
  result.attention_output = block + "attention.attn.o";
  result.attention_norm = block + "attention.LayerNorm";
  return result;
}

// T5's buckets: half for keys before the query, half for those after it; near distances one each, far ones in
// logarithmic steps up to kMaxDistance. In float32, as the model was trained.
std::size_t bucket(std::ptrdiff_t key_minus_query, std::size_t buckets) {
  const std::size_t half = buckets / 2;
  const std::size_t base = key_minus_query > 0 ? half : 0;
  const std::ptrdiff_t distance = std::abs(key_minus_query);
  const std::size_t exact = half / 2;
  if (distance < static_cast<std::ptrdiff_t>(exact)) return base + static_cast<std::size_t>(distance);
  const auto divisor =
      static_cast<float>(elementary::log(static_cast<double>(kMaxDistance) / static_cast<double>(exact)));
  const float ratio = static_cast<float>(distance) / static_cast<float>(exact);
  const float beyond = static_cast<float>(elementary::log(static_cast<double>(ratio))) / divisor *
                       static_cast<float>(half - exact);
  return base + std::min(half - 1, exact + static_cast<std::size_t>(beyond));
}

class Mpnet final : public BertLike {
 public:
  Mpnet(const ModelWeights& weights, const Shape& shape, std::size_t buckets) : BertLike(weights, shape) {
    const Dimensions& dimensions = shape.dimensions;
    const std::vector<float> learned =
        weights.host("encoder.relative_attention_bias.weight", std::array{buckets, dimensions.heads});
    const std::size_t reach = dimensions.max_length - 1, width = 2 * reach + 1;
    std::vector<float> table(dimensions.heads * width);
    for (std::size_t head = 0; head < dimensions.heads; ++head) {
      for (std::size_t column = 0; column < width; ++column) {
        const std::ptrdiff_t distance =
            static_cast<std::ptrdiff_t>(column) - static_cast<std::ptrdiff_t>(reach);
        table[head * width + column] = learned[bucket(distance, buckets) * dimensions.heads + head];
      }
    }
    bias_ = compute::upload_matrix(weights.device(),
                                   MatrixView<const float>(table.data(), dimensions.heads, width));
  }

  void positions(std::span<const std::int32_t> ids, std::span<std::int32_t> out) const override {
    positions_after_padding(ids, kPadding, out);
  }

  void layer(Workspace& workspace, const DeviceBatch& batch, std::size_t index,
             compute::DeviceMatrix<float> states) const override {
    blocks()[index].run(workspace, batch, states, {.bias = {bias_.view()}, .disentangled = {}});
  }

 private:
  compute::DeviceArray<float> bias_;
};

}  // namespace

std::unique_ptr<ModelArchitecture> make_mpnet(const ModelSource& source) {
  BertLike::Shape shape{.dimensions = read_customary_dimensions(source.config, 1e-12)};
  shape.position_rows = shape.dimensions.max_length;
  shape.embedding = shape.dimensions.hidden;
  shape.dimensions.max_length = usable_positions(source.config, shape.position_rows, kPadding);
  shape.names = mpnet_names;
  const std::size_t buckets = source.config.count_or("relative_attention_num_buckets", 32);
  if (buckets < 4 || buckets % 4 != 0 || buckets / 4 >= std::size_t{kMaxDistance}) {
    throw_invalid(fmt::format("{}: relative_attention_num_buckets is {}, expected a multiple of 4 below {}",
                              source.config.path(), buckets, 4 * kMaxDistance));
  }
  return std::make_unique<Mpnet>(source.weights(), shape, buckets);
}

}  // namespace markeval::encoder
