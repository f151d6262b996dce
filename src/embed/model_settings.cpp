#include "embed/model_settings.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/mapped_file.hpp"

namespace markeval::embed {
namespace {

using Json = nlohmann::json;
using compute::Pooling;

std::optional<Json> read_json(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  const MappedFile file(path);
  const auto* const text = reinterpret_cast<const char*>(file.bytes().data());
  Json json = Json::parse(text, text + file.bytes().size(), nullptr, false);
  if (json.is_discarded()) throw_invalid(path + ": no JSON");
  return json;
}

// {"pooling_mode_mean_tokens": true, ...}, or since version 5.2 {"pooling_mode": "mean"}.
Pooling read_pooling(const std::string& path) {
  const std::optional<Json> json = read_json(path);
  if (!json || !json->is_object()) throw_invalid(path + ": expected the settings of a pooling module");
  std::vector<std::string> modes;
  for (const auto& [key, value] : json->items()) {
    if (key == "pooling_mode" && value.is_string()) modes.push_back(value.get<std::string>());
    if (key.starts_with("pooling_mode_") && value.is_boolean() && value.get<bool>())
      modes.push_back(key.substr(13));
  }
  if (modes.size() == 1) {
    if (modes[0] == "mean_tokens" || modes[0] == "mean") return Pooling::mean;
    if (modes[0] == "cls_token" || modes[0] == "cls") return Pooling::cls;
    if (modes[0] == "max_tokens" || modes[0] == "max") return Pooling::max;
  }
  std::string found;
  for (const std::string& mode : modes) found += (found.empty() ? "'" : "', '") + mode;
  throw_invalid(fmt::format("{}: pools by {}, markeval has one of mean, cls and max", path,
                            found.empty() ? "nothing" : found + "'"));
}

void read_modules(const std::string& folder, const Json& modules, ModelSettings& settings) {
  const std::string path = folder + "/modules.json";
  if (!modules.is_array()) throw_invalid(path + ": expected a list of modules");
  for (const Json& module : modules) {
    if (!module.is_object() || !module.value("type", Json()).is_string() ||
        !module.value("path", Json()).is_string()) {
      throw_invalid(path + ": a module without 'type' and 'path'");
    }
    const auto type = module["type"].get<std::string>();
    const auto place = module["path"].get<std::string>();
    if (place.starts_with("/") || place.find("..") != std::string::npos) {
      throw_invalid(fmt::format("{}: module path '{}' leaves the folder", path, place));
    }
    const std::string kind = type.substr(type.rfind('.') + 1);
    if (kind == "Transformer") {
      if (!place.empty()) settings.transformer_folder = folder + "/" + place;
    } else if (kind == "Pooling") {
      settings.pooling = read_pooling(folder + "/" + place + "/config.json");
    } else if (kind == "Normalize") {
      settings.normalize = true;
    } else {
      throw_invalid(
          fmt::format("{}: module '{}' is one markeval does not have; known: Transformer, Pooling, Normalize",
                      path, type));
    }
  }
}

}  // namespace

std::string name(Pooling pooling) {
  switch (pooling) {
    case Pooling::mean:
      return "mean";
    case Pooling::cls:
      return "cls";
    case Pooling::max:
      return "max";
  }
  return {};
}

ModelSettings read_model_settings(const std::string& folder) {
  ModelSettings settings;
  settings.transformer_folder = folder;
  if (const std::optional<Json> modules = read_json(folder + "/modules.json")) {
    read_modules(folder, *modules, settings);
  }
  const std::string sentence = settings.transformer_folder + "/sentence_bert_config.json";
  if (const std::optional<Json> json = read_json(sentence)) {
    if (json->is_object() && json->value("do_lower_case", Json(false)) == Json(true)) {
      throw_invalid(sentence +
                    ": do_lower_case is true, which markeval does not have; its tokenizer lowers by itself");
    }
  }
  return settings;
}

}  // namespace markeval::embed
