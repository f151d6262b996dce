// ModernBERT (Warner et al. 2024): rotary positions instead of a table, blocks that look at the whole text
// between blocks that look at a window around each token, layer norms before attention and feed-forward part
// instead of behind them, and a feed-forward part with a gate.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/quotation.hpp"
#include "encoder/architecture.hpp"
#include "encoder/rotary.hpp"
#include "encoder/transformer_layer.hpp"

namespace markeval::encoder {
namespace {

using compute::DeviceArray;
using compute::DeviceMatrix;

/// The tables of rotary positions take memory for each, and no tensor of the model bounds their number.
constexpr std::size_t kMostPositions = std::size_t{1} << 17;

struct ModernSettings {
  Dimensions dimensions;
  bool attention_bias = false, feed_forward_bias = false, norm_bias = false;
  std::size_t local_reach = 0;  // tokens a local block sees on either side
  std::vector<bool> is_global;  // of each block
  double global_theta = 0, local_theta = 0;
};

std::vector<bool> read_layer_kinds(const ConfigFile& config, std::size_t layers) {
  std::vector<bool> is_global;
  if (!config.has("layer_types")) {
    const std::size_t every = config.positive_or("global_attn_every_n_layers", 3);
    for (std::size_t layer = 0; layer < layers; ++layer) is_global.push_back(layer % every == 0);
    return is_global;
  }
  for (const std::string& kind : config.words_or_none("layer_types")) {
    if (kind != "full_attention" && kind != "sliding_attention") {
      throw_invalid(fmt::format("{}: layer_types names {}, expected full_attention or sliding_attention",
                                config.path(), in_quotes(kind)));
    }
    is_global.push_back(kind == "full_attention");
  }
  if (is_global.size() != layers) {
    throw_invalid(fmt::format("{}: layer_types has {} entries, expected {} (num_hidden_layers)",
                              config.path(), is_global.size(), layers));
  }
  return is_global;
}

void require_plain_rotation(const ConfigFile& config) {
  const std::string type = config.text_or("rope_type", config.text_or("type", "default"));
  if (type != "default") {
    throw_invalid(
        fmt::format("{}: rope_type is {}, markeval has 'default' only", config.path(), in_quotes(type)));
  }
}

// In `rope_parameters` by kind of attention since transformers 5, in a key of its own before.
double read_theta(const ConfigFile& config, const char* kind, const char* key, double fallback) {
  double theta = config.number_or(key, fallback);
  std::string where = fmt::format("{}: {}", config.path(), key);
  if (const std::optional<ConfigFile> all = config.object("rope_parameters")) {
    if (const std::optional<ConfigFile> mine = all->object(kind)) {
      require_plain_rotation(*mine);
      theta = mine->number_or("rope_theta", theta);
      where = mine->path() + ": rope_theta";
    }
  }
  if (!(theta >= 1) || !std::isfinite(static_cast<float>(theta))) {
    throw_invalid(fmt::format("{} is {}, expected a number >= 1", where, theta));
  }
  return theta;
}

ModernSettings read_modern_settings(const ConfigFile& config) {
  ModernSettings settings;
  Dimensions& dimensions = settings.dimensions;
  dimensions = read_sizes(config);
  dimensions.layer_norm_epsilon = read_norm_epsilon(config, "norm_eps", 1e-5);
  dimensions.activation = read_activation(config, "hidden_activation", "gelu");
  if (dimensions.head_width() % 2 != 0) {
    throw_invalid(
        fmt::format("{}: hidden_size {} / num_attention_heads {} is {}, expected an even number: "
                    "rotary positions turn pairs",
                    config.path(), dimensions.hidden, dimensions.heads, dimensions.head_width()));
  }
  if (dimensions.max_length > kMostPositions) {
    throw_invalid(fmt::format("{}: max_position_embeddings is {}, expected at most {}", config.path(),
                              dimensions.max_length, kMostPositions));
  }
  settings.attention_bias = config.flag_or("attention_bias", false);
  settings.feed_forward_bias = config.flag_or("mlp_bias", false);
  settings.norm_bias = config.flag_or("norm_bias", false);
  settings.local_reach = config.positive_or("local_attention", 128) / 2;
  settings.is_global = read_layer_kinds(config, dimensions.layers);
  if (const std::optional<ConfigFile> scaling = config.object("rope_scaling"))
    require_plain_rotation(*scaling);
  settings.global_theta = read_theta(config, "full_attention", "global_rope_theta", 160000);
  // A file that sets it to null has the global one for all blocks.
  const bool is_null = config.mentions("local_rope_theta") && !config.has("local_rope_theta");
  settings.local_theta =
      read_theta(config, "sliding_attention", "local_rope_theta", is_null ? settings.global_theta : 10000);
  return settings;
}

/// Reads tensors, with a bias where the settings say so.
struct ModernParts {
  const ModelWeights& weights;
  const ModernSettings& settings;

  NormWeights norm(const std::string& name) const {
    const Dimensions& size = settings.dimensions;
    return settings.norm_bias ? weights.norm(name, size.hidden, size.layer_norm_epsilon)
                              : weights.norm_without_bias(name, size.hidden, size.layer_norm_epsilon);
  }
  PackedLinear linear(const std::string& name, bool has_bias, std::size_t outputs, std::size_t inputs) const {
    return has_bias ? weights.linear(name, outputs, inputs)
                    : weights.linear_without_bias(name, outputs, inputs);
  }
};

class ModernLayer {
 public:
  ModernLayer(const ModernParts& parts, std::size_t index) : dimensions_(parts.settings.dimensions) {
    const ModernSettings& settings = parts.settings;
    const std::size_t hidden = dimensions_.hidden, intermediate = dimensions_.intermediate;
    const std::string block = fmt::format("layers.{}.", index);
    if (index > 0) attention_norm_ = parts.norm(block + "attn_norm");  // the embedding has one already
    query_key_value_ = parts.linear(block + "attn.Wqkv", settings.attention_bias, 3 * hidden, hidden);
    attention_output_ = parts.linear(block + "attn.Wo", settings.attention_bias, hidden, hidden);
    feed_forward_norm_ = parts.norm(block + "mlp_norm");
    load_gated(parts, block + "mlp.Wi");
    down_ = parts.linear(block + "mlp.Wo", settings.feed_forward_bias, hidden, intermediate);
    if (!settings.is_global[index]) reach_ = settings.local_reach;
  }

  /// states -> states of the next layer, in place. Rows that are not wanted are dropped after the attention.
  void run(Workspace& workspace, const DeviceBatch& batch, const compute::Rotation& rotation,
           DeviceMatrix<float> states) const {
    compute::TransformerOperations& operations = workspace.operations();
    const std::size_t rows = batch.rows(), hidden = dimensions_.hidden;
    DeviceMatrix<float> normed = states;
    if (attention_norm_) {
      normed = workspace.narrow(rows, hidden);
      operations.layer_norm(states, attention_norm_->view(), normed);
    }
    const DeviceMatrix<float> projected = workspace.wide(rows, 3 * hidden);
    multiply(workspace, normed, query_key_value_, projected);
    operations.rotate(batch.positions, rotation, projected.columns_from(0, 2 * hidden));
    const DeviceMatrix<float> context = workspace.narrow(rows, hidden);
    operations.attention(batch.sequences,
                         {.query = projected.columns_from(0, hidden),
                          .key = projected.columns_from(hidden, hidden),
                          .value = projected.columns_from(2 * hidden, hidden),
                          .heads = dimensions_.heads,
                          .scale = 1 / std::sqrt(static_cast<float>(dimensions_.head_width())),
                          .bias = {},
                          .disentangled = {},
                          .reach = reach_},
                         context);
    on_wanted_rows(workspace, batch, context, states, [&](auto some_context, auto some_states) {
      after_attention(workspace, some_context, some_states);
    });
  }

 private:
  // The file has one matrix. Two products let the first apply the activation on its way out.
  void load_gated(const ModernParts& parts, const std::string& name) {
    const std::size_t hidden = dimensions_.hidden, intermediate = dimensions_.intermediate;
    const std::vector<float> weight =
        parts.weights.host(name + ".weight", std::array{2 * intermediate, hidden});
    std::vector<float> bias;
    if (parts.settings.feed_forward_bias)
      bias = parts.weights.host(name + ".bias", std::array{2 * intermediate});
    const auto half = [&](std::size_t first) {
      const std::span<const float> all(bias);
      return parts.weights.pack(MatrixView<const float>(weight.data() + first * hidden, intermediate, hidden),
                                all.empty() ? all : all.subspan(first, intermediate));
    };
    up_ = half(0);
    gate_ = half(intermediate);
  }

  void after_attention(Workspace& workspace, DeviceMatrix<const float> context,
                       DeviceMatrix<float> states) const {
    add_product(workspace, context, attention_output_, states);
    const std::size_t intermediate = dimensions_.intermediate;
    const DeviceMatrix<float> normed = workspace.narrow(states.rows, dimensions_.hidden);
    workspace.operations().layer_norm(states, feed_forward_norm_->view(), normed);
    const DeviceMatrix<float> both = workspace.wide(states.rows, 2 * intermediate);
    const DeviceMatrix<float> up = both.columns_from(0, intermediate),
                              gate = both.columns_from(intermediate, intermediate);
    multiply_and_activate(workspace, normed, up_, dimensions_.activation, up);
    multiply(workspace, normed, gate_, gate);
    workspace.operations().gate(up, gate);
    add_product(workspace, up, down_, states);
  }

  // states += in * linear + bias
  static void add_product(Workspace& workspace, DeviceMatrix<const float> in, const PackedLinear& linear,
                          DeviceMatrix<float> states) {
    compute::Epilogue onto_states{.bias = {}, .residual = states};
    if (linear.bias.storage != nullptr) onto_states.bias = linear.bias.view();
    workspace.device().multiply(in, *linear.weight, onto_states, states);
  }

  Dimensions dimensions_;
  std::size_t reach_ = compute::kWholeSequence;
  std::optional<NormWeights> attention_norm_, feed_forward_norm_;
  PackedLinear query_key_value_, attention_output_, up_, gate_, down_;
};

class ModernBert final : public ModelArchitecture {
 public:
  ModernBert(const ModelWeights& weights, const ModernSettings& settings)
      : settings_(settings),
        words_(weights.table("embeddings.tok_embeddings.weight", settings.dimensions.vocabulary,
                             settings.dimensions.hidden)) {
    const ModernParts parts{weights, settings};
    embedding_norm_ = parts.norm("embeddings.norm");
    for (std::size_t layer = 0; layer < settings.dimensions.layers; ++layer)
      layers_.emplace_back(parts, layer);
    final_norm_ = parts.norm("final_norm");
    const auto table = [&](double theta) {
      return make_rotary_table(weights.device(), settings.dimensions.max_length,
                               settings.dimensions.head_width(), theta);
    };
    global_ = table(settings.global_theta);
    local_ = table(settings.local_theta);
  }

  const Dimensions& dimensions() const override { return settings_.dimensions; }

  void embed(Workspace& workspace, const DeviceBatch& batch, DeviceMatrix<float> states) const override {
    const compute::EmbeddingTables tables{.words = words_.view(), .positions = {}, .type = {}};
    workspace.operations().embed(batch.ids, batch.positions, tables, embedding_norm_.view(), states);
  }

  // The states of the last layer are those behind the final norm, transformers' last_hidden_state.
  void layer(Workspace& workspace, const DeviceBatch& batch, std::size_t index,
             DeviceMatrix<float> states) const override {
    const RotaryTable& rotation = settings_.is_global[index] ? global_ : local_;
    layers_[index].run(workspace, batch, rotation.view(), states);
    if (index + 1 == settings_.dimensions.layers)
      workspace.operations().layer_norm(states, final_norm_.view(), states);
  }

 private:
  ModernSettings settings_;
  DeviceArray<float> words_;
  NormWeights embedding_norm_, final_norm_;
  std::vector<ModernLayer> layers_;
  RotaryTable global_, local_;
};

}  // namespace

std::unique_ptr<ModelArchitecture> make_modernbert(const ModelSource& source) {
  const ModernSettings settings = read_modern_settings(source.config);
  return std::make_unique<ModernBert>(source.weights("embeddings.tok_embeddings.weight"), settings);
}

}  // namespace markeval::encoder
