// The tensors of a model folder by name, whichever file they are in and whatever prefix the model was saved
// under, brought to the device. A tensor that is missing, of another type or of another shape is an error
// that names it, and so is one that holds NaN or infinity: softmax and activations may make a plausible
// number of them, so they are not always to be seen in the states.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compute/device.hpp"
#include "compute/transformer.hpp"
#include "encoder/tensor_file.hpp"
#include "encoder/weight_files.hpp"

namespace markeval::encoder {

/// y = x * transposed(weight) + bias, packed for the device.
struct PackedLinear {
  std::unique_ptr<compute::PackedWeights> weight;
  compute::DeviceArray<float> bias;  ///< without storage: no bias
};

/// Gain and bias of a layer norm, owned.
struct NormWeights {
  compute::DeviceArray<float> gain, bias;
  float epsilon = 0;

  compute::LayerNorm view() const { return {gain.view(), bias.view(), epsilon}; }
};

class ModelWeights {
 public:
  /// `anchor` is the name of a tensor every such model has ("embeddings.word_embeddings.weight"); what stands
  /// before it ("bert.") is the prefix of all others. `precision` is that of the packed products.
  ModelWeights(const WeightFiles& files, std::string_view anchor, compute::Device& device,
               compute::Precision precision);

  compute::Device& device() const { return device_; }
  bool has(std::string_view name) const;

  /// Embeddings: a row for every token or position. A row that is not finite harms those texts alone whose
  /// states show it, so nobody looks here.
  compute::DeviceArray<float> table(std::string_view name, std::size_t rows, std::size_t columns) const;
  compute::DeviceArray<float> matrix(std::string_view name, std::size_t rows, std::size_t columns) const;
  /// The first row of a matrix.
  compute::DeviceArray<float> first_row(std::string_view name, std::size_t rows, std::size_t columns) const;
  compute::DeviceArray<float> vector(std::string_view name, std::size_t size) const;
  /// NAME.weight (outputs x inputs) and NAME.bias.
  PackedLinear linear(std::string_view name, std::size_t outputs, std::size_t inputs) const;
  PackedLinear linear_without_bias(std::string_view name, std::size_t outputs, std::size_t inputs) const;
  /// Several of them below each other, so that one product gives all their outputs side by side.
  PackedLinear stacked_linear(std::span<const std::string> names, std::size_t outputs_each,
                              std::size_t inputs) const;
  /// NAME.weight and NAME.bias, or NAME.gamma and NAME.beta as old files call them.
  NormWeights norm(std::string_view name, std::size_t size, float epsilon) const;
  /// NAME.weight, and zeros for the bias.
  NormWeights norm_without_bias(std::string_view name, std::size_t size, float epsilon) const;
  /// On the host, for what is rearranged before use.
  std::vector<float> host(std::string_view name, std::span<const std::size_t> shape) const;
  /// An empty `bias`: none.
  PackedLinear pack(MatrixView<const float> weight, std::span<const float> bias) const;

 private:
  struct Found {
    const Tensor* tensor;
    const TensorFile* file;
    std::string name;  ///< with its prefix, for messages
  };
  enum class Check { none, finite };

  std::optional<Found> find(std::string_view name) const;
  Found require(std::string_view name, std::span<const std::size_t> shape) const;
  compute::DeviceArray<float> load(std::string_view name, std::span<const std::size_t> shape,
                                   std::size_t rows, std::size_t columns, Check check) const;
  void copy(const Found& found, std::size_t elements, compute::Storage& to, std::size_t first,
            Check check) const;
  void require_finite(const Found& found, std::span<const float> values) const;

  std::string folder_;
  std::vector<TensorFile> files_;
  std::string prefix_;
  compute::Device& device_;
  compute::Precision precision_;
};

}  // namespace markeval::encoder
