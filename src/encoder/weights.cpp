#include "encoder/weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "base/finite.hpp"
#include "base/mapped_file.hpp"

namespace markeval::encoder {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// The files an index names, each once. {"weight_map": {"tensor": "file"}}
std::vector<std::string> indexed_files(const std::string& folder, const std::string& path) {
  const MappedFile file(path);
  const auto* const text = reinterpret_cast<const char*>(file.bytes().data());
  const Json index = Json::parse(text, text + file.bytes().size(), nullptr, false);
  if (index.is_discarded() || !index.is_object() || !index.contains("weight_map") ||
      !index["weight_map"].is_object()) {
    throw_invalid(path + ": expected a JSON object with a 'weight_map'");
  }
  std::set<std::string> names;
  for (const auto& [tensor, name] : index["weight_map"].items()) {
    if (!name.is_string())
      throw_invalid(fmt::format("{}: the file of tensor '{}' is no string", path, tensor));
    const auto file_name = name.get<std::string>();
    if (file_name.empty() || file_name.find('/') != std::string::npos) {
      throw_invalid(fmt::format("{}: tensor '{}' is said to be in '{}', expected a file of this folder", path,
                                tensor, file_name));
    }
    names.insert(file_name);
  }
  std::vector<std::string> paths;
  for (const std::string& name : names) paths.push_back(folder + "/" + name);
  return paths;
}

std::vector<std::string> weight_files(const std::string& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) throw_invalid(folder + ": no such model folder");
  const std::string single = folder + "/model.safetensors";
  if (fs::exists(single, ignored)) return {single};
  const std::string index = single + ".index.json";
  if (fs::exists(index, ignored)) return indexed_files(folder, index);
  if (fs::exists(folder + "/pytorch_model.bin", ignored) ||
      fs::exists(folder + "/pytorch_model.bin.index.json", ignored)) {
    throw_invalid(
        fmt::format("{0}: has pytorch_model.bin only, which can run code when loaded; convert it once with\n"
                    "  python3 -c \"from transformers import AutoModel as M; "
                    "M.from_pretrained('{0}').save_pretrained('{0}')\"\n"
                    "which writes model.safetensors",
                    folder));
  }
  throw_invalid(folder + ": no weights: expected model.safetensors or model.safetensors.index.json");
}

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

Weights::Weights(const std::string& folder, std::string_view anchor, compute::Device& device,
                 compute::Precision precision)
    : folder_(folder), device_(device), precision_(precision) {
  for (const std::string& path : weight_files(folder)) files_.emplace_back(path);
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
  if (!found) throw_invalid(fmt::format("{}: no tensor '{}', with or without a prefix", folder, anchor));
}

const Tensor* Weights::find(std::string_view name) const {
  const std::string full = prefix_ + std::string(name);
  for (const std::string& spelling : {full, old_name(full)}) {
    if (spelling.empty()) continue;
    for (const SafetensorsFile& file : files_) {
      if (const Tensor* const tensor = file.find(spelling)) return tensor;
    }
  }
  return nullptr;
}

bool Weights::has(std::string_view name) const {
  return find(name) != nullptr;
}

const Tensor& Weights::require(std::string_view name, std::span<const std::size_t> shape) const {
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

const Tensor& Weights::require_finite(std::string_view name, std::span<const std::size_t> shape) const {
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
void Weights::copy(const Tensor& tensor, std::size_t elements, compute::Storage& to,
                   std::size_t first) const {
  if (tensor.dtype == "F32") {
    device_.upload(to, first * sizeof(float), tensor.data.first(elements * sizeof(float)));
    return;
  }
  std::array<float, 4096> piece;
  for (std::size_t done = 0; done < elements;) {
    const std::span<float> part = std::span(piece).first(std::min(piece.size(), elements - done));
    to_float(tensor, done, part);
    device_.upload(to, (first + done) * sizeof(float), std::as_bytes(part));
    done += part.size();
  }
}

compute::DeviceArray<float> Weights::table(std::string_view name, std::size_t rows,
                                           std::size_t columns) const {
  const Tensor& tensor = require(name, std::array{rows, columns});
  auto result = compute::allocate_matrix<float>(device_, rows, columns);
  copy(tensor, rows * columns, *result.storage, 0);
  return result;
}

compute::DeviceArray<float> Weights::matrix(std::string_view name, std::size_t rows,
                                            std::size_t columns) const {
  const Tensor& tensor = require_finite(name, std::array{rows, columns});
  auto result = compute::allocate_matrix<float>(device_, rows, columns);
  copy(tensor, rows * columns, *result.storage, 0);
  return result;
}

compute::DeviceArray<float> Weights::first_row(std::string_view name, std::size_t rows,
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

compute::DeviceArray<float> Weights::vector(std::string_view name, std::size_t size) const {
  const Tensor& tensor = require_finite(name, std::array{size});
  auto result = compute::allocate_matrix<float>(device_, 1, size);
  copy(tensor, size, *result.storage, 0);
  return result;
}

Linear Weights::linear(std::string_view name, std::size_t outputs, std::size_t inputs) const {
  const std::string text(name);
  return stacked_linear(std::span(&text, 1), outputs, inputs);
}

Linear Weights::linear_without_bias(std::string_view name, std::size_t outputs, std::size_t inputs) const {
  const auto weight = matrix(std::string(name) + ".weight", outputs, inputs);
  return {device_.pack_weights(weight.view(), precision_), {}};
}

Linear Weights::stacked_linear(std::span<const std::string> names, std::size_t outputs_each,
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

NormWeights Weights::norm(std::string_view name, std::size_t size, float epsilon) const {
  const std::string text(name);
  return {vector(text + ".weight", size), vector(text + ".bias", size), epsilon};
}

std::vector<float> Weights::host(std::string_view name, std::span<const std::size_t> shape) const {
  const Tensor& tensor = require_finite(name, shape);
  std::vector<float> result(tensor.elements());
  to_float(tensor, 0, result);
  return result;
}

Linear Weights::pack(MatrixView<const float> weight, std::span<const float> bias) const {
  const auto uploaded = compute::upload_matrix(device_, weight);
  return {device_.pack_weights(uploaded.view(), precision_), compute::upload_row(device_, bias)};
}

}  // namespace markeval::encoder
