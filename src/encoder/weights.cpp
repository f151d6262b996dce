// Lookup under the model's prefix and older names, then reading, checking and upload in pieces of 65,536
// floats.
#include "encoder/weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/finite.hpp"

namespace markeval::encoder {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;  ///< floats read, checked and uploaded at a time

// "LayerNorm.weight" -> "LayerNorm.gamma", as files converted from TensorFlow have it.
std::string old_name(std::string_view name) {
  for (const auto& [modern, old] :
       {std::pair<std::string_view, std::string_view>{"LayerNorm.weight", "gamma"},
        {"LayerNorm.bias", "beta"}}) {
    if (name.ends_with(modern)) return std::string(name.substr(0, name.rfind('.') + 1)) + std::string(old);
  }
  return {};
}

}  // namespace

ModelWeights::ModelWeights(const WeightFiles& files, std::string_view anchor, compute::Device& device,
                           compute::Precision precision)
    : folder_(files.folder), files_(read_tensor_files(files)), device_(device), precision_(precision) {
  bool found = false;
  for (const TensorFile& file : files_) {
    for (const auto& [name, tensor] : file.tensors()) {
      if (!name.ends_with(anchor)) continue;
      const std::string before = name.substr(0, name.size() - anchor.size());
      if (!before.empty() && before.back() != '.') continue;
      if (!found || before.size() < prefix_.size()) prefix_ = before;
      found = true;
    }
  }
  if (!found) throw_invalid(fmt::format("{}: no tensor '{}', with or without a prefix", folder_, anchor));
}

std::optional<ModelWeights::Found> ModelWeights::find(std::string_view name) const {
  const std::string full = prefix_ + std::string(name);
  for (const std::string& spelling : {full, old_name(full)}) {
    if (spelling.empty()) continue;
    for (const TensorFile& file : files_) {
      if (const Tensor* const tensor = file.find(spelling)) return Found{tensor, &file, full};
    }
  }
  return std::nullopt;
}

bool ModelWeights::has(std::string_view name) const {
  return find(name).has_value();
}

ModelWeights::Found ModelWeights::require(std::string_view name, std::span<const std::size_t> shape) const {
  std::optional<Found> found = find(name);
  if (!found) {
    throw_invalid(fmt::format("{}: no tensor '{}{}', expected shape {}", folder_, prefix_, name,
                              describe_shape(shape)));
  }
  const Tensor* const tensor = found->tensor;
  if (!is_float_type(tensor->dtype)) {
    throw_invalid(fmt::format("{}: tensor '{}{}' is {}, expected F32, F16 or BF16", folder_, prefix_, name,
                              tensor->dtype));
  }
  if (!std::ranges::equal(tensor->shape, shape)) {
    throw_invalid(fmt::format("{}: tensor '{}{}' has shape {}, expected {}", folder_, prefix_, name,
                              describe_shape(tensor->shape), describe_shape(shape)));
  }
  return *std::move(found);
}

// Reads all of the tensor, piece by piece, and copies its first `elements` to the device from element `first`
// on. A table is not checked: a damaged row of it shows in the states of the texts that use it, and only
// there.
void ModelWeights::copy(const Found& found, std::size_t elements, compute::Storage& to, std::size_t first,
                        Check check) const {
  // What has strides must be read at once.
  const std::size_t most = found.tensor->is_contiguous() ? kPiece : found.tensor->elements();
  std::vector<float> piece(std::min(most, found.tensor->elements()));
  const std::size_t all = check == Check::finite ? found.tensor->elements() : elements;
  for (std::size_t done = 0; done < all;) {
    const std::span<float> part = std::span(piece).first(std::min(piece.size(), all - done));
    found.file->read(*found.tensor, done, part);
    if (check == Check::finite) require_finite(found, part);
    if (done < elements) {
      const auto wanted = part.first(std::min(part.size(), elements - done));
      compute::upload<float>(device_, {wanted.data(), 1, wanted.size()},
                             {&to, first + done, 1, wanted.size(), wanted.size()});
    }
    done += part.size();
  }
}

void ModelWeights::require_finite(const Found& found, std::span<const float> values) const {
  if (all_finite(values)) return;
  throw_invalid(
      fmt::format("{}: tensor '{}' holds NaN or infinity: the weights are damaged", folder_, found.name));
}

compute::DeviceArray<float> ModelWeights::load(std::string_view name, std::span<const std::size_t> shape,
                                               std::size_t rows, std::size_t columns, Check check) const {
  const Found found = require(name, shape);
  auto result = compute::allocate_matrix<float>(device_, rows, columns);
  copy(found, rows * columns, *result.storage, 0, check);
  return result;
}

compute::DeviceArray<float> ModelWeights::table(std::string_view name, std::size_t rows,
                                                std::size_t columns) const {
  return load(name, std::array{rows, columns}, rows, columns, Check::none);
}

compute::DeviceArray<float> ModelWeights::matrix(std::string_view name, std::size_t rows,
                                                 std::size_t columns) const {
  return load(name, std::array{rows, columns}, rows, columns, Check::finite);
}

compute::DeviceArray<float> ModelWeights::first_row(std::string_view name, std::size_t rows,
                                                    std::size_t columns) const {
  const std::array shape{rows, columns};
  if (rows == 0) {
    throw_invalid(fmt::format("{}: tensor '{}{}' has shape {}, expected at least one row", folder_, prefix_,
                              name, describe_shape(shape)));
  }
  return load(name, shape, 1, columns, Check::finite);
}

compute::DeviceArray<float> ModelWeights::vector(std::string_view name, std::size_t size) const {
  return load(name, std::array{size}, 1, size, Check::finite);
}

PackedLinear ModelWeights::linear(std::string_view name, std::size_t outputs, std::size_t inputs) const {
  const std::string text(name);
  return stacked_linear(std::span(&text, 1), outputs, inputs);
}

PackedLinear ModelWeights::linear_without_bias(std::string_view name, std::size_t outputs,
                                               std::size_t inputs) const {
  const auto weight = matrix(std::string(name) + ".weight", outputs, inputs);
  return {device_.pack_weights(weight.view(), precision_), {}};
}

PackedLinear ModelWeights::stacked_linear(std::span<const std::string> names, std::size_t outputs_each,
                                          std::size_t inputs) const {
  std::vector<Found> weights, biases;  // all of them before memory is asked for
  for (const std::string& name : names) {
    weights.push_back(require(name + ".weight", std::array{outputs_each, inputs}));
    biases.push_back(require(name + ".bias", std::array{outputs_each}));
  }
  auto weight = compute::allocate_matrix<float>(device_, names.size() * outputs_each, inputs);
  auto bias = compute::allocate_matrix<float>(device_, 1, names.size() * outputs_each);
  for (std::size_t index = 0; index < names.size(); ++index) {
    copy(weights[index], outputs_each * inputs, *weight.storage, index * outputs_each * inputs,
         Check::finite);
    copy(biases[index], outputs_each, *bias.storage, index * outputs_each, Check::finite);
  }
  return {device_.pack_weights(weight.view(), precision_), std::move(bias)};
}

NormWeights ModelWeights::norm(std::string_view name, std::size_t size, float epsilon) const {
  const std::string text(name);
  return {vector(text + ".weight", size), vector(text + ".bias", size), epsilon};
}

NormWeights ModelWeights::norm_without_bias(std::string_view name, std::size_t size, float epsilon) const {
  const std::vector<float> zeros(size, 0.0f);
  return {vector(std::string(name) + ".weight", size), compute::upload_row<float>(device_, zeros), epsilon};
}

std::vector<float> ModelWeights::host(std::string_view name, std::span<const std::size_t> shape) const {
  const Found found = require(name, shape);
  std::vector<float> result(found.tensor->elements());
  found.file->read(*found.tensor, 0, result);
  require_finite(found, result);
  return result;
}

PackedLinear ModelWeights::pack(MatrixView<const float> weight, std::span<const float> bias) const {
  const auto uploaded = compute::upload_matrix(device_, weight);
  PackedLinear result{device_.pack_weights(uploaded.view(), precision_), {}};
  if (!bias.empty()) result.bias = compute::upload_row(device_, bias);
  return result;
}

}  // namespace markeval::encoder
