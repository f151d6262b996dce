// The order of operations in a block: query, key and value in one product, attention, residual and norm, then
// the feed-forward part.
#include "encoder/transformer_layer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace markeval::encoder {

using compute::Activation;
using compute::DeviceMatrix;
using compute::Epilogue;

namespace {

/// The activation as a product applies it on its way out, where it can.
std::optional<Activation> fused(HiddenActivation activation) {
  switch (activation) {
    case HiddenActivation::gelu:
      return Activation::gelu;
    case HiddenActivation::relu:
      return Activation::relu;
    case HiddenActivation::gelu_tanh:
    case HiddenActivation::silu:
    case HiddenActivation::tanh:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

LayerNames LayerNames::customary(std::size_t layer) {
  const std::string block = fmt::format("encoder.layer.{}.", layer);
  return {
      .query_key_value = {block + "attention.self.query", block + "attention.self.key",
                          block + "attention.self.value"},
      .attention_output = block + "attention.output.dense",
      .attention_norm = block + "attention.output.LayerNorm",
      .up = block + "intermediate.dense",
      .down = block + "output.dense",
      .output_norm = block + "output.LayerNorm",
  };
}

TransformerLayer::TransformerLayer(const ModelWeights& weights, const Dimensions& dimensions,
                                   const LayerNames& names)
    : dimensions_(dimensions),
      query_key_value_(weights.stacked_linear(names.query_key_value, dimensions.hidden, dimensions.hidden)),
      attention_output_(weights.linear(names.attention_output, dimensions.hidden, dimensions.hidden)),
      up_(weights.linear(names.up, dimensions.intermediate, dimensions.hidden)),
      down_(weights.linear(names.down, dimensions.hidden, dimensions.intermediate)),
      attention_norm_(weights.norm(names.attention_norm, dimensions.hidden, dimensions.layer_norm_epsilon)),
      output_norm_(weights.norm(names.output_norm, dimensions.hidden, dimensions.layer_norm_epsilon)) {}

void TransformerLayer::run(Workspace& workspace, const DeviceBatch& batch, DeviceMatrix<float> states,
                           const AttentionTerms& terms) const {
  compute::TransformerOperations& operations = workspace.operations();
  const std::size_t rows = batch.rows(), hidden = dimensions_.hidden;

  const DeviceMatrix<float> projected = workspace.wide(rows, 3 * hidden);
  multiply(workspace, states, query_key_value_, projected);
  const float kinds = static_cast<float>(dimensions_.head_width() * terms.kinds);
  const compute::AttentionInputs inputs{.query = projected.columns_from(0, hidden),
                                        .key = projected.columns_from(hidden, hidden),
                                        .value = projected.columns_from(2 * hidden, hidden),
                                        .heads = dimensions_.heads,
                                        .scale = 1 / std::sqrt(kinds),
                                        .bias = terms.bias,
                                        .disentangled = terms.disentangled};
  const DeviceMatrix<float> context = workspace.narrow(rows, hidden);
  operations.attention(batch.sequences, inputs, context);
  on_wanted_rows(workspace, batch, context, states, [&](auto some_context, auto some_states) {
    after_attention(workspace, some_context, some_states);
  });
}

void TransformerLayer::after_attention(Workspace& workspace, DeviceMatrix<const float> context,
                                       DeviceMatrix<float> states) const {
  compute::Device& device = workspace.device();
  compute::TransformerOperations& operations = workspace.operations();
  Epilogue onto_states{.bias = attention_output_.bias.view(), .residual = states};
  device.multiply(context, *attention_output_.weight, onto_states, states);
  operations.layer_norm(states, attention_norm_.view(), states);

  onto_states.bias = down_.bias.view();
  const auto feed_forward = [&](auto intermediate) {
    multiply_and_activate(workspace, states, up_, dimensions_.activation, intermediate);
    device.multiply(intermediate, *down_.weight, onto_states, states);
  };
  // The second product rounds what it reads: the same bits, half the memory, when the first one does it.
  if (up_.weight->precision() == compute::Precision::bf16 && fused(dimensions_.activation)) {
    feed_forward(workspace.wide<compute::Bf16>(states.rows, dimensions_.intermediate));
  } else {
    feed_forward(workspace.wide(states.rows, dimensions_.intermediate));
  }
  operations.layer_norm(states, output_norm_.view(), states);
}

void multiply_and_activate(Workspace& workspace, DeviceMatrix<const float> in, const PackedLinear& linear,
                           HiddenActivation activation, compute::ProductResult out) {
  Epilogue epilogue;
  if (linear.bias.storage != nullptr) epilogue.bias = linear.bias.view();
  epilogue.activation = fused(activation).value_or(Activation::none);
  workspace.device().multiply(in, *linear.weight, epilogue, out);
  const auto apply = [&](compute::Function function) {
    workspace.operations().apply(function, std::get<DeviceMatrix<float>>(out));
  };
  switch (activation) {
    case HiddenActivation::gelu:
    case HiddenActivation::relu:
      return;
    case HiddenActivation::gelu_tanh:
      return apply(compute::Function::gelu_tanh);
    case HiddenActivation::silu:
      return apply(compute::Function::silu);
    case HiddenActivation::tanh:
      return apply(compute::Function::tanh);
  }
}

void multiply(Workspace& workspace, DeviceMatrix<const float> in, const PackedLinear& linear,
              DeviceMatrix<float> out) {
  Epilogue epilogue;
  if (linear.bias.storage != nullptr) epilogue.bias = linear.bias.view();
  workspace.device().multiply(in, *linear.weight, epilogue, out);
}

}  // namespace markeval::encoder
