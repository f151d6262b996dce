#include "models/settings.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_reader.hpp"
#include "base/quotation.hpp"

namespace markeval::models {
namespace {

using Json = nlohmann::json;
using encoder::Pooling;

constexpr JsonLimits kLimits{.bytes = std::size_t{1} << 20};
constexpr std::string_view kSentenceName = "sentence_bert_config.json";

std::string text_in(const Json& object, const char* key, const std::string& path) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string())
    throw_invalid(path + ": a module without 'type' and 'path'");
  return found->get<std::string>();
}

Module read_module(const Json& entry, const std::string& path) {
  if (!entry.is_object()) throw_invalid(path + ": a module without 'type' and 'path'");
  const std::string type = text_in(entry, "type", path);
  std::string folder = text_in(entry, "path", path);
  if (folder.starts_with("/") || folder.find("..") != std::string::npos)
    throw_invalid(fmt::format("{}: module path {} leaves the folder", path, in_quotes(folder)));
  const std::string kind = type.substr(type.rfind('.') + 1);
  if (kind == "Transformer") return {ModuleKind::transformer, folder};
  if (kind == "Pooling") return {ModuleKind::pooling, folder};
  if (kind == "Normalize") return {ModuleKind::normalize, folder};
  throw_invalid(
      fmt::format("{}: module {} is one markeval does not have; known: Transformer, Pooling, Normalize", path,
                  in_quotes(type)));
}

}  // namespace

std::vector<Module> read_modules(const FolderFiles& model) {
  const std::string* const text = model.find(kModulesName);
  if (text == nullptr) return {};
  const std::string path = model.path(kModulesName);
  const Json list = parse_json(*text, path, kLimits);
  if (!list.is_array()) throw_invalid(path + ": expected a list of modules");
  std::vector<Module> modules;
  for (const Json& entry : list) modules.push_back(read_module(entry, path));
  return modules;
}

// {"pooling_mode_mean_tokens": true, ...}, or since version 5.2 {"pooling_mode": "mean"}.
Pooling read_pooling(const FolderFiles& module) {
  const std::string path = module.path("config.json");
  const Json settings = parse_json_object(module.get("config.json"), path, kLimits);
  std::vector<std::string> modes;
  for (const auto& [key, value] : settings.items()) {
    if (key == "pooling_mode" && value.is_string()) modes.push_back(value.get<std::string>());
    if (key.starts_with("pooling_mode_") && value.is_boolean() && value.get<bool>())
      modes.push_back(key.substr(13));
  }
  if (modes.size() == 1) {
    if (modes[0] == "mean_tokens" || modes[0] == "mean") return Pooling::mean;
    if (modes[0] == "cls_token" || modes[0] == "cls") return Pooling::cls;
    if (modes[0] == "max_tokens" || modes[0] == "max") return Pooling::max;
  }
  throw_invalid(fmt::format("{}: pools by {}, markeval has one of mean, cls and max", path,
                            modes.empty() ? "nothing" : listed(modes)));
}

void require_no_lower_case(const FolderFiles& transformer) {
  const std::string* const text = transformer.find(kSentenceName);
  if (text == nullptr) return;
  const std::string path = transformer.path(kSentenceName);
  if (parse_json_object(*text, path, kLimits).value("do_lower_case", Json()) == Json(true)) {
    throw_invalid(path +
                  ": do_lower_case is true, which markeval does not have; its tokenizer lowers by itself");
  }
}

}  // namespace markeval::models
