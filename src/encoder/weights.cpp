#include "encoder/weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/finite.hpp"

namespace markeval::encoder {
namespace {

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
    : folder_(files.folder), device_(device), precision_(precision) {
  for (const OpenFile& file : files.files) files_.emplace_back(file);
  bool found = false;
  for (const SafetensorsFile& file : files_) {
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

const Tensor* ModelWeights::find(std::string_view name) const {
  const std::string full = prefix_ + std::string(name);
  for (const std::string& spelling : {full, old_name(full)}) {
    if (spelling.empty()) continue;
    for (const SafetensorsFile& file : files_) {
      if (const Tensor* const tensor = file.find(spelling)) return tensor;
    }
  }
  return nullptr;
}

bool ModelWeights::has(std::string_view name) const {
  return find(name) != nullptr;
}

const Tensor& ModelWeights::require(std::string_view name, std::span<const std::size_t> shape) const {
  const Tensor* const tensor = find(name);
  if (tensor == nullptr) {
    throw_invalid(fmt::format("{}: no tensor '{}{}', expected shape {}", folder_, prefix_, name,
                              describe_shape(shape)));
  }
  if (!is_float_type(tensor->dtype)) {
    throw_invalid(fmt::format("{}: tensor '{}{}' is {}, expected F32, F16 or BF16", folder_, prefix_, name,
                              tensor->dtype));
  }
  if (!std::ranges::equal(tensor->shape, shape)) {
    throw_invalid(fmt::format("{}: tensor '{}{}' has shape {}, expected {}", folder_, prefix_, name,
                              describe_shape(tensor->shape), describe_shape(shape)));
  }
  return *tensor;
}

const Tensor& ModelWeights::require_finite(std::string_view name, std::span<const std::size_t> shape) const {
  const Tensor& tensor = require(name, shape);
  std::array<float, 4096> piece;
  for (std::size_t done = 0; done < tensor.elements();) {
    const std::span<float> part = std::span(piece).first(std::min(piece.size(), tensor.elements() - done));
    to_float(tensor, done, part);
    if (!all_finite(part)) {
      throw_invalid(fmt::format("{}: tensor '{}{}' holds NaN or infinity: the weights are damaged", folder_,
                                prefix_, name));
    }
    done += part.size();
  }
  return tensor;
}

// Copies the first `elements` to the device from element `first` on, piece by piece where they must be
// widened.
void ModelWeights::copy(const Tensor& tensor, std::size_t elements, compute::Storage& to,
                        std::size_t first) const {
  const auto upload = [&](std::span<const std::byte> from, std::size_t element) {
    device_.upload({from.data(), 1, from.size()},
                   {&to, element * sizeof(float), 1, from.size(), from.size()});
  };
  if (tensor.dtype == "F32") return upload(tensor.data.first(elements * sizeof(float)), first);
  std::array<float, 4096> piece;
  for (std::size_t done = 0; done < elements;) {
    const std::span<float> part = std::span(piece).first(std::min(piece.size(), elements - done));
    to_float(tensor, done, part);
    upload(std::as_bytes(part), first + done);
    done += part.size();
  }
}

compute::DeviceArray<float> ModelWeights::table(std::string_view name, std::size_t rows,
                                                std::size_t columns) const {
  const Tensor& tensor = require(name, std::array{rows, columns});
  auto result = compute::allocate_matrix<float>(device_, rows, columns);
  copy(tensor, rows * columns, *result.storage, 0);
  return result;
}

compute::DeviceArray<float> ModelWeights::matrix(std::string_view name, std::size_t rows,
                                                 std::size_t columns) const {
  const Tensor& tensor = require_finite(name, std::array{rows, columns});
  auto result = compute::allocate_matrix<float>(device_, rows, columns);
  copy(tensor, rows * columns, *result.storage, 0);
  return result;
}

compute::DeviceArray<float> ModelWeights::first_row(std::string_view name, std::size_t rows,
                                                    std::size_t columns) const {
  const Tensor& tensor = require_finite(name, std::array{rows, columns});
  if (rows == 0) {
    throw_invalid(fmt::format("{}: tensor '{}{}' has shape {}, expected at least one row", folder_, prefix_,
                              name, describe_shape(tensor.shape)));
  }
  auto result = compute::allocate_matrix<float>(device_, 1, columns);
  copy(tensor, columns, *result.storage, 0);
  return result;
}

compute::DeviceArray<float> ModelWeights::vector(std::string_view name, std::size_t size) const {
  const Tensor& tensor = require_finite(name, std::array{size});
  auto result = compute::allocate_matrix<float>(device_, 1, size);
  copy(tensor, size, *result.storage, 0);
  return result;
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
  auto weight = compute::allocate_matrix<float>(device_, names.size() * outputs_each, inputs);
  auto bias = compute::allocate_matrix<float>(device_, 1, names.size() * outputs_each);
  for (std::size_t index = 0; index < names.size(); ++index) {
    const Tensor& part = require_finite(names[index] + ".weight", std::array{outputs_each, inputs});
    copy(part, outputs_each * inputs, *weight.storage, index * outputs_each * inputs);
    const Tensor& part_bias = require_finite(names[index] + ".bias", std::array{outputs_each});
    copy(part_bias, outputs_each, *bias.storage, index * outputs_each);
  }
  return {device_.pack_weights(weight.view(), precision_), std::move(bias)};
}

NormWeights ModelWeights::norm(std::string_view name, std::size_t size, float epsilon) const {
  const std::string text(name);
  return {vector(text + ".weight", size), vector(text + ".bias", size), epsilon};
}

std::vector<float> ModelWeights::host(std::string_view name, std::span<const std::size_t> shape) const {
  const Tensor& tensor = require_finite(name, shape);
  std::vector<float> result(tensor.elements());
  to_float(tensor, 0, result);
  return result;
}

PackedLinear ModelWeights::pack(MatrixView<const float> weight, std::span<const float> bias) const {
  const auto uploaded = compute::upload_matrix(device_, weight);
  return {device_.pack_weights(uploaded.view(), precision_), compute::upload_row(device_, bias)};
}

}  // namespace markeval::encoder
