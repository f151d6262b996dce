// One block of a post-norm transformer, which all architectures here share: self-attention and a feed-forward
// part, each with a residual connection and a layer norm. They differ in names and in extra terms of the
// attention score.
#pragma once

#include <array>
#include <string>

#include "encoder/config.hpp"
#include "encoder/weights.hpp"
#include "encoder/workspace.hpp"

namespace markeval::encoder {

/// What a block's tensors are called, without ".weight" and ".bias".
struct LayerNames {
  std::array<std::string, 3> query_key_value;
  std::string attention_output, attention_norm;
  std::string up, down, output_norm;

  /// "encoder.layer.3." + the names BERT made customary.
  static LayerNames customary(std::size_t layer);
};

/// What an architecture adds to the attention scores.
struct AttentionTerms {
  compute::RelativeBias bias;
  compute::DisentangledTerms disentangled;
  std::size_t kinds = 1;  ///< of score terms: scores are divided by sqrt(head width * kinds)
};

class TransformerLayer {
 public:
  TransformerLayer(const ModelWeights& weights, const Dimensions& dimensions, const LayerNames& names);

  /// states -> states of the next layer, in place. Rows that are not wanted are dropped after the attention,
  /// which is the last to look at them.
  void run(Workspace& workspace, const DeviceBatch& batch, compute::DeviceMatrix<float> states,
           const AttentionTerms& terms = {}) const;

 private:
  void after_attention(Workspace& workspace, compute::DeviceMatrix<const float> context,
                       compute::DeviceMatrix<float> states) const;

  Dimensions dimensions_;
  PackedLinear query_key_value_, attention_output_, up_, down_;
  NormWeights attention_norm_, output_norm_;
};

/// out = activation(in * linear + bias): fused where the product can, a pass over the result, which is
/// float32 then, where not.
void multiply_and_activate(Workspace& workspace, compute::DeviceMatrix<const float> in,
                           const PackedLinear& linear, HiddenActivation activation,
                           compute::ProductResult out);
/// out = in * linear + bias.
void multiply(Workspace& workspace, compute::DeviceMatrix<const float> in, const PackedLinear& linear,
              compute::DeviceMatrix<float> out);

/// after_attention(context, states) on the rows that are wanted: the attention is the last to look at others.
template <typename AfterAttention>
void on_wanted_rows(Workspace& workspace, const DeviceBatch& batch, compute::DeviceMatrix<float> context,
                    compute::DeviceMatrix<float> states, const AfterAttention& after_attention) {
  if (batch.wanted.columns == 0) return after_attention(context, states);
  compute::TransformerOperations& operations = workspace.operations();
  const auto wanted_states = workspace.wanted_states(batch.wanted.columns, states.columns);
  const auto wanted_context = workspace.wanted_context(batch.wanted.columns, states.columns);
  operations.gather_rows(states, batch.wanted, wanted_states);
  operations.gather_rows(context, batch.wanted, wanted_context);
  after_attention(wanted_context, wanted_states);
  operations.gather_rows(wanted_states, batch.row_index, states);
}

}  // namespace markeval::encoder
