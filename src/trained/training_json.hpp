// What the JSON of a training folder is made of, whatever was trained; for the sources that read and write
// it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/json.hpp"
#include "base/json_reader.hpp"
#include "encoder/safetensors.hpp"
#include "trained/training_files.hpp"

namespace markeval::trained {

/// FOLDER/file
std::string in_folder(const std::string& folder, const char* file);
/// FOLDER/config.json.
nlohmann::json read_config(const std::string& folder);
/// Throws Error(invalid_input) where the folder holds a model of another kind than `wanted`, "match".
void require_architecture(const std::string& folder, std::string_view wanted);

nlohmann::ordered_json describe_files(const std::vector<DataFile>& files);
nlohmann::ordered_json describe_encoder(const EncoderIdentity& encoder, std::size_t layers,
                                        std::size_t width);

/// Throws Error(invalid_input) where weights or one of these numbers are not: nothing could read such a
/// folder.
void require_finite(const TrainingState& state, std::span<const double> numbers = {});

/// FOLDER/config.json: `config`, which has the plan and the scale, behind our version; then how the training
/// went.
void write_config(const std::string& folder, const nlohmann::ordered_json& config, const TrainingState& state,
                  const std::string& weights_hash, const std::string& signature);

[[noreturn]] void damaged(const std::string& path, const std::string& what);

/// The value at "encoder.layers": a number, a whole number or a string, by the type of `to`.
template <typename T>
void take(const nlohmann::json& object, const std::string& path, std::string field, T& to) {
  const std::string name = field;
  std::ranges::replace(field, '.', '/');
  const nlohmann::json::json_pointer pointer("/" + field);
  if (!object.contains(pointer)) damaged(path, fmt::format("it has no '{}'", name));
  const nlohmann::json& value = object.at(pointer);
  constexpr bool kText = std::is_same_v<T, std::string>, kReal = std::is_floating_point_v<T>;
  if (!(kText ? value.is_string() : kReal ? value.is_number() : value.is_number_unsigned())) {
    damaged(path, fmt::format("'{}' is {}, expected {}", name, brief(value),
                              kText   ? "a string"
                              : kReal ? "a number"
                                      : "a whole number"));
  }
  value.get_to(to);
}

/// Throws Error(invalid_input) unless the file has so many float32 numbers of that name.
void take_values(const encoder::SafetensorsFile& file, const std::string& name, std::span<float> values);
/// Every parameter by its name.
void take_parameters(const encoder::SafetensorsFile& file, Parameters<float>& values);
/// The same, to be written.
std::vector<encoder::NamedTensor> named_tensors(const Parameters<float>& values);

void take_encoder(const nlohmann::json& config, const std::string& path, EncoderIdentity& encoder);

}  // namespace markeval::trained
