// DeBERTa v2 and v3 (He et al. 2021, 2023): attention scores are sums of content-to-content,
// content-to-position and position-to-content terms over bucketed distances. There need be no absolute
// positions; some models add a convolution beside the first block.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "base/elementary.hpp"
#include "base/error.hpp"
#include "base/quotation.hpp"
#include "encoder/architecture.hpp"
#include "encoder/transformer_layer.hpp"

namespace markeval::encoder {
namespace {

using compute::DeviceArray;
using compute::DeviceMatrix;

struct DebertaSettings {
  Dimensions dimensions;
  std::size_t embedding = 0, token_types = 0;
  bool absolute_positions = true;
  bool relative = false;
  std::ptrdiff_t buckets = -1;  // <= 0: one per distance
  std::ptrdiff_t max_distance = 0;
  bool content_to_position = false, position_to_content = false, shared_projections = false,
       norm_positions = false;
  std::size_t convolution = 0, convolution_groups = 1;  // kernel size, 0: none
  HiddenActivation convolution_activation = HiddenActivation::tanh;

  /// Rows of the position table on either side of distance 0.
  std::size_t span() const { return static_cast<std::size_t>(buckets > 0 ? buckets : max_distance); }
};

DebertaSettings read_deberta_settings(const ConfigFile& config) {
  DebertaSettings settings;
  settings.dimensions = read_customary_dimensions(config, 1e-7);
  settings.embedding = config.positive_or("embedding_size", settings.dimensions.hidden);
  settings.token_types = config.count_or("type_vocab_size", 0);
  settings.absolute_positions = config.flag_or("position_biased_input", true);
  settings.relative = config.flag_or("relative_attention", false);
  settings.buckets = config.integer_or("position_buckets", -1);
  settings.max_distance = config.integer_or("max_relative_positions", -1);
  if (settings.max_distance < 1)
    settings.max_distance = static_cast<std::ptrdiff_t>(settings.dimensions.max_length);
  for (const std::string& kind : config.words_or_none("pos_att_type")) {
    if (kind != "c2p" && kind != "p2c") {
      throw_invalid(
          fmt::format("{}: pos_att_type names {}, expected c2p or p2c", config.path(), in_quotes(kind)));
    }
    (kind == "c2p" ? settings.content_to_position : settings.position_to_content) = true;
  }
  settings.shared_projections = config.flag_or("share_att_key", false);
  const std::vector<std::string> norms = config.words_or_none("norm_rel_ebd");
  settings.norm_positions = std::ranges::find(norms, "layer_norm") != norms.end();
  settings.convolution = config.count_or("conv_kernel_size", 0);
  if (settings.convolution > 0) {
    settings.convolution_groups = std::max<std::size_t>(1, config.count_or("conv_groups", 1));
    settings.convolution_activation = read_activation(config, "conv_act", "tanh");
    if (settings.convolution % 2 == 0) {
      throw_invalid(fmt::format("{}: conv_kernel_size is {}, expected an odd number", config.path(),
                                settings.convolution));
    }
    if (settings.dimensions.hidden % settings.convolution_groups != 0) {
      throw_invalid(fmt::format("{}: {} conv_groups cannot share a hidden size of {}", config.path(),
                                settings.convolution_groups, settings.dimensions.hidden));
    }
  }
  if (config.has("attention_head_size") &&
      config.positive("attention_head_size") != settings.dimensions.head_width()) {
    throw_invalid(
        fmt::format("{}: attention_head_size is {}, markeval has hidden_size / num_attention_heads = {} only",
                    config.path(), config.positive("attention_head_size"), settings.dimensions.head_width()));
  }
  // Distances beyond the middle share buckets in steps up to the largest one, which must be beyond it too.
  const std::ptrdiff_t middle = settings.buckets / 2;
  const bool goes_beyond = static_cast<std::ptrdiff_t>(settings.dimensions.max_length) - 1 > middle;
  if (settings.buckets > 0 && goes_beyond && (middle == 0 || settings.max_distance - 1 <= middle)) {
    throw_invalid(fmt::format("{}: position_buckets is {} and max_relative_positions {}, which do not fit",
                              config.path(), settings.buckets, settings.max_distance));
  }
  if (settings.span() > (1u << 20))
    throw_invalid(config.path() + ": more relative positions than can be right");
  return settings;
}

// Distances up to half the buckets keep their own, farther ones share them in logarithmic steps. In float32,
// as the model was trained.
std::ptrdiff_t log_bucket(std::ptrdiff_t distance, std::ptrdiff_t buckets, std::ptrdiff_t max_distance) {
  const std::ptrdiff_t middle = buckets / 2;
  const std::ptrdiff_t magnitude = std::abs(distance);
  if (magnitude <= middle) return distance;
  const auto float_log = [](float x) { return static_cast<float>(elementary::log(static_cast<double>(x))); };
  const float ratio =
      float_log(static_cast<float>(magnitude) / static_cast<float>(middle)) /
      float_log(static_cast<float>(static_cast<double>(max_distance - 1) / static_cast<double>(middle)));
  const std::ptrdiff_t bucket =
      static_cast<std::ptrdiff_t>(std::ceil(ratio * static_cast<float>(middle - 1))) + middle;
  return distance < 0 ? -bucket : bucket;
}

// Row of the position table for query - key = -reach .. reach.
std::vector<std::int32_t> bucket_rows(const DebertaSettings& settings) {
  const auto reach = static_cast<std::ptrdiff_t>(settings.dimensions.max_length) - 1;
  const auto span = static_cast<std::ptrdiff_t>(settings.span());
  std::vector<std::int32_t> rows;
  for (std::ptrdiff_t distance = -reach; distance <= reach; ++distance) {
    const std::ptrdiff_t bucket =
        settings.buckets > 0 ? log_bucket(distance, settings.buckets, settings.max_distance) : distance;
    rows.push_back(static_cast<std::int32_t>(std::clamp<std::ptrdiff_t>(bucket + span, 0, 2 * span - 1)));
  }
  return rows;
}

LayerNames deberta_names(std::size_t layer) {
  LayerNames result = LayerNames::customary(layer);
  for (std::string& name : result.query_key_value) name += "_proj";
  return result;
}

class Deberta final : public ModelArchitecture {
 public:
  Deberta(const ModelWeights& weights, const DebertaSettings& settings)
      : settings_(settings),
        words_(weights.table("embeddings.word_embeddings.weight", settings.dimensions.vocabulary,
                             settings.embedding)),
        embedding_norm_(norm(weights, "embeddings.LayerNorm")) {
    const Dimensions& size = settings.dimensions;
    if (settings.absolute_positions) {
      positions_ =
          weights.table("embeddings.position_embeddings.weight", size.max_length, settings.embedding);
    }
    if (settings.token_types > 0) {
      type_ = weights.first_row("embeddings.token_type_embeddings.weight", settings.token_types,
                                settings.embedding);
    }
    if (settings.embedding != size.hidden) {
      projection_ = weights.linear_without_bias("embeddings.embed_proj", size.hidden, settings.embedding);
    }
    for (std::size_t layer = 0; layer < size.layers; ++layer)
      layers_.emplace_back(weights, size, deberta_names(layer));
    if (settings.relative) load_positions(weights);
    if (settings.convolution > 0) load_convolution(weights);
  }

  const Dimensions& dimensions() const override { return settings_.dimensions; }

  void embed(Workspace& workspace, const DeviceBatch& batch, DeviceMatrix<float> states) const override {
    compute::EmbeddingTables tables{.words = words_.view(), .positions = {}, .type = {}};
    if (positions_) tables.positions = positions_->view();
    if (type_) tables.type = type_->view();
    if (projection_) {
      const auto narrow = workspace.narrow(batch.rows(), settings_.embedding);
      workspace.operations().embed(batch.ids, batch.positions, tables, {}, narrow);
      multiply(workspace, narrow, *projection_, states);
      workspace.operations().layer_norm(states, embedding_norm_.view(), states);
    } else {
      workspace.operations().embed(batch.ids, batch.positions, tables, embedding_norm_.view(), states);
    }
  }

  void layer(Workspace& workspace, const DeviceBatch& batch, std::size_t index,
             DeviceMatrix<float> states) const override {
    const bool convolved = index == 0 && convolution_.has_value();
    DeviceMatrix<float> side;
    if (convolved) side = convolve(workspace, batch, states);
    AttentionTerms terms;
    terms.kinds = 1 + (settings_.content_to_position ? 1 : 0) + (settings_.position_to_content ? 1 : 0);
    if (settings_.relative) {
      terms.disentangled.bucket = buckets_.view();
      if (settings_.content_to_position) terms.disentangled.position_key = position_keys_[index].view();
      if (settings_.position_to_content) terms.disentangled.position_query = position_queries_[index].view();
    }
    layers_[index].run(workspace, batch, states, terms);
    if (convolved) {
      workspace.operations().add(states, side);
      workspace.operations().layer_norm(states, convolution_norm_->view(), states);
    }
  }

 private:
  NormWeights norm(const ModelWeights& weights, std::string_view name) const {
    return weights.norm(name, settings_.dimensions.hidden, settings_.dimensions.layer_norm_epsilon);
  }

  // The position table through every layer's projections: the same for all texts, so made once.
  void load_positions(const ModelWeights& weights) {
    compute::Device& device = weights.device();
    const std::size_t hidden = settings_.dimensions.hidden, rows = 2 * settings_.span();
    const DeviceArray<float> table = weights.matrix("encoder.rel_embeddings.weight", rows, hidden);
    if (settings_.norm_positions) {
      const NormWeights table_norm = norm(weights, "encoder.LayerNorm");
      device.transformer().layer_norm(table.view(), table_norm.view(), table.view());
    }
    const auto project = [&](const std::string& name) {
      const PackedLinear linear = weights.linear(name, hidden, hidden);
      DeviceArray<float> result = compute::allocate_matrix<float>(device, rows, hidden);
      device.multiply(table.view(), *linear.weight, {.bias = linear.bias.view(), .residual = {}},
                      result.view());
      return result;
    };
    for (std::size_t layer = 0; layer < settings_.dimensions.layers; ++layer) {
      const std::string self = fmt::format("encoder.layer.{}.attention.self.", layer);
      const std::string prefix = settings_.shared_projections ? "" : "pos_";
      if (settings_.content_to_position) position_keys_.push_back(project(self + prefix + "key_proj"));
      if (settings_.position_to_content) position_queries_.push_back(project(self + prefix + "query_proj"));
    }
    buckets_ = compute::upload_row<std::int32_t>(device, bucket_rows(settings_));
  }

  // A convolution along the text is a product with `kernel` neighbouring rows side by side. The file has
  // outputs x inputs of the output's group x kernel; here: outputs x (kernel x inputs), zero between groups.
  void load_convolution(const ModelWeights& weights) {
    const std::size_t hidden = settings_.dimensions.hidden, kernel = settings_.convolution;
    const std::size_t group_size = hidden / settings_.convolution_groups;
    const std::vector<float> filed =
        weights.host("encoder.conv.conv.weight", std::array{hidden, group_size, kernel});
    const std::vector<float> bias = weights.host("encoder.conv.conv.bias", std::array{hidden});
    std::vector<float> unfolded(hidden * kernel * hidden, 0.0f);
    for (std::size_t output = 0; output < hidden; ++output) {
      const std::size_t first_input = output / group_size * group_size;
      for (std::size_t input = 0; input < group_size; ++input) {
        for (std::size_t tap = 0; tap < kernel; ++tap) {
          unfolded[(output * kernel + tap) * hidden + first_input + input] =
              filed[(output * group_size + input) * kernel + tap];
        }
      }
    }
    convolution_ = weights.pack(MatrixView<const float>(unfolded.data(), hidden, kernel * hidden), bias);
    convolution_norm_ = norm(weights, "encoder.conv.LayerNorm");
  }

  DeviceMatrix<float> convolve(Workspace& workspace, const DeviceBatch& batch,
                               DeviceMatrix<const float> states) const {
    const std::size_t hidden = settings_.dimensions.hidden;
    const DeviceMatrix<float> windows = workspace.wide(batch.rows(), settings_.convolution * hidden);
    workspace.operations().unfold(batch.sequences, states, settings_.convolution / 2, windows);
    const DeviceMatrix<float> result = workspace.kept(batch.rows(), hidden);
    multiply_and_activate(workspace, windows, *convolution_, settings_.convolution_activation, result);
    return result;
  }

  DebertaSettings settings_;
  DeviceArray<float> words_;
  NormWeights embedding_norm_;
  std::optional<DeviceArray<float>> positions_, type_;
  std::optional<PackedLinear> projection_;
  std::vector<TransformerLayer> layers_;
  std::vector<DeviceArray<float>> position_keys_, position_queries_;
  DeviceArray<std::int32_t> buckets_;
  std::optional<PackedLinear> convolution_;
  std::optional<NormWeights> convolution_norm_;
};

}  // namespace

std::unique_ptr<ModelArchitecture> make_deberta(const ModelSource& source) {
  return std::make_unique<Deberta>(source.weights(), read_deberta_settings(source.config));
}

}  // namespace markeval::encoder
