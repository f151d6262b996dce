// The search path for models, the file that records a model's origin, and checks of files against their
// hashes.
#include "models/store.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_reader.hpp"
#include "base/json_text.hpp"
#include "base/limits.hpp"
#include "base/output_file.hpp"
#include "base/paths.hpp"
#include "base/quotation.hpp"
#include "base/suggestion.hpp"
#include "models/model_folder.hpp"

namespace markeval::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kOriginFile = "markeval-origin.json";
constexpr std::size_t kMostOriginBytes = std::size_t{4} << 20;

/// $`told`, else $`variable`/`ours`, else ~/`usual`/`ours`; empty without a home.
std::string users_folder(const char* told, const char* variable, const char* usual, const char* ours) {
  if (const auto folder = environment(told); !folder.empty()) return std::string(folder);
  if (const auto folder = environment(variable); !folder.empty()) return fmt::format("{}/{}", folder, ours);
  const auto home = environment("HOME");
  return home.empty() ? std::string() : fmt::format("{}/{}/{}", home, usual, ours);
}

bool is_model(const fs::path& folder) {
  std::error_code error;
  return std::ranges::any_of(encoder::kConfigNames, [&](std::string_view name) {
    return fs::is_regular_file(folder / name, error);
  });
}

/// The names under one of model_folders(): "NAME" and "OWNER/NAME". Names with a dot first are half-done or
/// ours.
std::set<std::string> names_under(const fs::path& root) {
  std::set<std::string> names;
  const auto folders = [](const fs::path& folder) {
    std::vector<fs::path> found;
    try {
      for (const std::string& name : names_in(folder.string()))
        if (name.front() != '.' && is_folder((folder / name).string())) found.push_back(folder / name);
    } catch (const Error&) {  // it is not there, or nobody may read it
    }
    return found;
  };
  for (const fs::path& folder : folders(root)) {
    const std::string name = folder.filename().string();
    if (is_model(folder)) {
      names.insert(name);
      continue;
    }
    for (const fs::path& inner : folders(folder)) {
      if (is_model(inner)) names.insert(name + "/" + inner.filename().string());
    }
  }
  return names;
}

ModelInfo info_of(const std::string& name, const std::string& folder) {
  const ModelFolder model(folder);
  const encoder::ConfigFile config = model.config();
  const auto size = [&](encoder::Size which) { return config.find_size(which).value_or(0); };
  return {.name = name,
          .folder = folder,
          .architecture = config.architecture(),
          .layers = size(encoder::Size::layers),
          .hidden = size(encoder::Size::hidden),
          .vocabulary = size(encoder::Size::vocabulary),
          .weight_bytes = model.weight_bytes(),
          .weight_hash = model.weight_hash(),
          .signature = model.signature(),
          .name_in_config = model.name_in_config(),
          .origin = read_origin(folder),
          .problem = {}};
}

/// A file below the folder: whatever the notes say, nothing else is read.
bool stays_inside(const std::string& name) {
  const fs::path path(name);
  return !name.empty() && path.is_relative() && std::ranges::count(path, fs::path("..")) == 0;
}

}  // namespace

std::string name_on_hub(const std::string& name) {
  if (name.find('/') != std::string::npos || name == kDefaultModel) return name;
  static const std::map<std::string, std::string> owners{
      {"roberta-base", "FacebookAI"},           {"roberta-large", "FacebookAI"},
      {"xlm-roberta-base", "FacebookAI"},       {"xlm-roberta-large", "FacebookAI"},
      {"bert-base-uncased", "google-bert"},     {"bert-large-uncased", "google-bert"},
      {"bert-base-cased", "google-bert"},       {"bert-base-multilingual-cased", "google-bert"},
      {"distilbert-base-uncased", "distilbert"}};
  const auto found = owners.find(name);
  return found == owners.end() ? "" : found->second + "/" + name;
}

std::string default_cache_folder() {
  const std::string folder = users_folder("MARKEVAL_CACHE", "XDG_CACHE_HOME", ".cache", "markeval");
  return folder.empty() ? "none" : folder;
}

std::vector<std::string> model_folders() {
  const std::string folder =
      users_folder("MARKEVAL_MODELS", "XDG_DATA_HOME", ".local/share", "markeval/models");
  return folder.empty() ? std::vector<std::string>{"models"} : std::vector<std::string>{folder, "models"};
}

std::optional<ModelOrigin> read_origin(const std::string& folder) {
  const std::string path = (fs::path(folder) / kOriginFile).string();
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::nullopt;
  const json document = parse_json_object(OpenFile(path).read_all(kMostOriginBytes), path);
  ModelOrigin origin{
      text_in(document, "repository"), text_in(document, "revision"), text_in(document, "endpoint"), {}};
  const auto files = document.find("files");
  if (files == document.end() || !files->is_object()) throw_invalid(path + ": no list of files");
  for (const auto& [name, file] : files->items()) {
    const auto size = file.find("size");
    if (size == file.end() || !size->is_number_unsigned())
      throw_invalid(fmt::format("{}: no size for {}", path, in_quotes(name)));
    if (!stays_inside(name))
      throw_invalid(fmt::format("{}: {} is no file of this folder", path, in_quotes(name)));
    origin.files.push_back({name, size->get<std::uint64_t>(), text_in(file, "sha256")});
  }
  return origin;
}

void write_origin(const std::string& folder, const ModelOrigin& origin) {
  json files = json::object();
  for (const HubFile& file : origin.files) files[file.name] = {{"size", file.size}, {"sha256", file.sha256}};
  const json document = {{"repository", origin.repository},
                         {"revision", origin.revision},
                         {"endpoint", origin.endpoint},
                         {"files", files}};
  write_whole_file((fs::path(folder) / kOriginFile).string(), json_text(document, 2) + "\n");
}

std::string find_model(const std::string& name) {
  if (name.empty()) throw_usage("the model has no name, expected one or a folder");
  std::error_code error;
  std::vector<std::string> seen;
  const bool path_like = name.front() == '.' || name.front() == '/';
  for (const std::string& root : model_folders()) {
    if (path_like) break;
    if (is_model(fs::path(root) / name)) return (fs::path(root) / name).string();
    std::vector<std::string> deeper;
    for (const std::string& known : names_under(root)) {
      seen.push_back(known);
      const std::size_t slash = known.find('/');
      if (slash != std::string::npos && known.substr(slash + 1) == name) deeper.push_back(known);
    }
    if (deeper.size() == 1) return (fs::path(root) / deeper.front()).string();
    if (deeper.size() > 1)
      throw_usage("model '" + name + "' is both " + deeper[0] + " and " + deeper[1] + "; name the folder");
  }
  if (fs::is_directory(name, error)) return name;
  if (path_like) throw_usage("model '" + name + "': no such folder");
  std::string message = fmt::format("model '{}' is not on this machine; looked in {}", name,
                                    fmt::join(model_folders(), " and "));
  message += seen.empty() ? " (no models there)" : suggestion(name, seen);
  if (const std::string full = name_on_hub(name); !full.empty())
    message += "; 'markeval model pull " + full + "' fetches it";
  throw_usage(message);
}

ModelInfo model_info(const std::string& name) {
  return info_of(name, find_model(name));
}

std::vector<ModelInfo> list_models() {
  std::vector<ModelInfo> models;
  std::set<std::string> seen;
  for (const std::string& root : model_folders()) {
    for (const std::string& name : names_under(root)) {
      if (!seen.insert(name).second) continue;  // the earlier folder is the one find_model gives
      const std::string folder = (fs::path(root) / name).string();
      try {
        models.push_back(info_of(name, folder));
      } catch (const Error& error) {  // one that is broken does not hide the others
        if (error.code() == ErrorCode::cancelled) throw;
        ModelInfo& broken = models.emplace_back();
        broken.name = name;
        broken.folder = folder;
        broken.problem = error.what();
      }
    }
  }
  std::ranges::sort(models, {}, &ModelInfo::name);
  return models;
}

std::vector<FileCheck> verify_model(const std::string& name) {
  const std::string folder = find_model(name);
  std::vector<FileCheck> checks;
  const auto check = [&](const std::string& file, const std::string& path, const std::string& expected) {
    FileCheck result{file, "unknown", {}, expected};
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
      result.result = "missing";
    } else {
      result.found = sha256_of(OpenFile(path));
      if (!expected.empty()) result.result = result.found == expected ? "right" : "wrong";
    }
    checks.push_back(std::move(result));
  };
  if (const auto origin = read_origin(folder)) {
    for (const HubFile& file : origin->files)
      check(file.name, (fs::path(folder) / file.name).string(), file.sha256);
    return checks;
  }
  const ModelFolder model(folder);
  const bool known = model.weights().files.size() == 1 && model.name() == kDefaultModel;
  const std::string expected = known ? kDefaultWeightHash : "";
  for (const OpenFile& file : model.weights().files)
    check(fs::path(file.path()).lexically_relative(folder).string(), file.path(), expected);
  return checks;
}

}  // namespace markeval::models
