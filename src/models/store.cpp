#include "models/store.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/suggestion.hpp"
#include "models/hash.hpp"
#include "models/model_folder.hpp"
#include "models/places.hpp"

namespace markeval::models {
namespace {

namespace fs = std::filesystem;

bool is_model(const fs::path& folder) {
  std::error_code error;
  return std::any_of(encoder::kConfigNames.begin(), encoder::kConfigNames.end(),
                     [&](std::string_view name) { return fs::is_regular_file(folder / name, error); });
}

/// The names under one of model_folders(): "NAME" and "OWNER/NAME". Names with a dot first are half-done or
/// ours.
std::set<std::string> names_under(const fs::path& root) {
  std::set<std::string> names;
  std::error_code error;
  const auto folders = [&](const fs::path& folder) {
    std::vector<fs::path> found;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      std::error_code ignored;
      if (entry->is_directory(ignored) && entry->path().filename().string().front() != '.')
        found.push_back(entry->path());
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

/// Names that papers and other tools use, as a hub has them.
std::string name_on_hub(const std::string& name) {
  static const std::map<std::string, std::string> owners{
      {"roberta-base", "FacebookAI"},           {"roberta-large", "FacebookAI"},
      {"xlm-roberta-base", "FacebookAI"},       {"xlm-roberta-large", "FacebookAI"},
      {"bert-base-uncased", "google-bert"},     {"bert-large-uncased", "google-bert"},
      {"bert-base-cased", "google-bert"},       {"bert-base-multilingual-cased", "google-bert"},
      {"distilbert-base-uncased", "distilbert"}};
  const auto found = owners.find(name);
  return found == owners.end() ? "" : found->second + "/" + name;
}

ModelInfo info_of(const std::string& name, const std::string& folder) {
  const ModelFolder model(folder);
  const encoder::ConfigFile config = model.config();
  ModelInfo info;
  info.name = name;
  info.folder = folder;
  info.architecture = config.architecture();
  info.layers = config.find_size(encoder::Size::layers).value_or(0);
  info.hidden = config.find_size(encoder::Size::hidden).value_or(0);
  info.vocabulary = config.find_size(encoder::Size::vocabulary).value_or(0);
  info.weight_bytes = model.weight_bytes();
  info.weight_hash = model.weight_hash();
  info.signature = model.signature();
  info.name_in_config = model.name_in_config();
  info.origin = read_origin(folder);
  return info;
}

}  // namespace

const std::vector<KnownModel>& known_models() {
  static const std::vector<KnownModel> models{
      {kDefaultModel, "sentence-transformers/all-MiniLM-L6-v2",
       "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"}};
  return models;
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
      throw_usage("model '" + name + "' is both " + deeper[0] + " and " + deeper[1] + "; say which");
  }
  if (fs::is_directory(name, error)) return name;
  if (path_like) throw_usage("model '" + name + "': no such folder");
  std::string message = "model '" + name + "' is not on this machine; looked in";
  for (const std::string& root : model_folders())
    message += (root == model_folders().front() ? " " : " and ") + root;
  message += seen.empty() ? " (no models there)" : suggestion(name, seen);
  const bool pullable = name.find('/') != std::string::npos ||
                        std::any_of(known_models().begin(), known_models().end(),
                                    [&](const KnownModel& known) { return known.name == name; });
  if (const std::string full = name_on_hub(name); !full.empty())
    message += "; 'markeval model pull " + full + "' fetches it";
  if (pullable) message += "; 'markeval model pull " + name + "' fetches it";
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
        ModelInfo broken;
        broken.name = name;
        broken.folder = folder;
        broken.problem = error.what();
        models.push_back(std::move(broken));
      }
    }
  }
  std::sort(models.begin(), models.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return models;
}

std::vector<FileCheck> verify_model(const std::string& name) {
  const std::string folder = find_model(name);
  std::vector<FileCheck> checks;
  const auto check = [&](const std::string& file, const std::string& path, const std::string& expected) {
    FileCheck result{file, FileCheck::FileState::unknown, {}, expected};
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
      result.result = FileCheck::FileState::missing;
    } else {
      result.found = sha256_of(OpenFile(path));
      if (!expected.empty()) {
        result.result = result.found == expected ? FileCheck::FileState::right : FileCheck::FileState::wrong;
      }
    }
    checks.push_back(std::move(result));
  };
  if (const auto origin = read_origin(folder)) {
    for (const ModelOrigin::ListedFile& file : origin->files)
      check(file.name, (fs::path(folder) / file.name).string(), file.sha256);
    return checks;
  }
  const ModelFolder model(folder);
  std::string expected;
  for (const KnownModel& known : known_models()) {
    if (model.weights().files.size() == 1 && model.name() == known.name) expected = known.weight_hash;
  }
  for (const OpenFile& file : model.weights().files)
    check(fs::path(file.path()).lexically_relative(folder).string(), file.path(), expected);
  return checks;
}

}  // namespace markeval::models
