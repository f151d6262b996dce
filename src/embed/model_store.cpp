#include "embed/model_store.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/suggestion.hpp"
#include "embed/digest.hpp"
#include "embed/places.hpp"
#include "embed/weight_hash.hpp"
#include "encoder/config.hpp"

namespace markeval::embed {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

bool is_model(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "config.json", error);
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

json read_json(const fs::path& path) {
  std::ifstream file(path);
  if (!file) throw_io(path.string(), "cannot read");
  json document = json::parse(file, nullptr, false);
  if (!document.is_object()) throw_invalid(path.string() + ": not a JSON object");
  return document;
}

std::string text_of(const json& object, const char* key) {
  return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : std::string();
}

ModelInfo info_of(const std::string& name, const std::string& folder) {
  const encoder::ConfigFile config(folder);
  ModelInfo info;
  info.name = name;
  info.folder = folder;
  info.architecture = config.text_or("model_type", "");
  info.layers = config.find_size(encoder::Size::layers).value_or(0);
  info.hidden = config.find_size(encoder::Size::hidden).value_or(0);
  info.vocabulary = config.find_size(encoder::Size::vocabulary).value_or(0);
  for (const std::string& file : weight_files(folder)) {
    std::error_code error;
    const auto size = fs::file_size(fs::path(folder) / file, error);
    if (error) throw_invalid(folder + ": " + file + ", which its index names, is missing");
    info.weight_bytes += size;
  }
  info.weight_hash = weight_hash(folder);
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

std::string name_in_config(const std::string& folder) {
  const fs::path path = fs::path(folder) / "config.json";
  return fs::exists(path) ? text_of(read_json(path), "_name_or_path") : std::string();
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
  if (pullable) message += "; 'markeval model pull " + name + "' fetches it";
  throw_usage(message);
}

std::optional<ModelOrigin> read_origin(const std::string& folder) {
  const fs::path path = fs::path(folder) / kOriginFile;
  if (!fs::exists(path)) return std::nullopt;
  const json document = read_json(path);
  ModelOrigin origin{
      text_of(document, "repository"), text_of(document, "revision"), text_of(document, "endpoint"), {}};
  if (!document.contains("files") || !document["files"].is_object())
    throw_invalid(path.string() + ": no list of files");
  for (const auto& [name, file] : document["files"].items()) {
    const bool whole = file.is_object() && file.contains("size") && file["size"].is_number_unsigned();
    if (!whole) throw_invalid(path.string() + ": no size for '" + name + "'");
    origin.files.push_back({name, file["size"].get<std::uint64_t>(), text_of(file, "sha256")});
  }
  return origin;
}

void write_origin(const std::string& folder, const ModelOrigin& origin) {
  json files = json::object();
  for (const ModelOrigin::File& file : origin.files)
    files[file.name] = {{"size", file.size}, {"sha256", file.sha256}};
  const json document = {{"repository", origin.repository},
                         {"revision", origin.revision},
                         {"endpoint", origin.endpoint},
                         {"files", files}};
  write_whole_file((fs::path(folder) / kOriginFile).string(), document.dump(2) + "\n");
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
  const auto check = [&](const std::string& file, const std::string& expected) {
    FileCheck result{file, FileCheck::Result::unknown, {}, expected};
    const fs::path path = fs::path(folder) / file;
    if (!fs::exists(path)) {
      result.result = FileCheck::Result::missing;
    } else {
      result.found = sha256_of_file(path.string());
      if (!expected.empty()) {
        result.result = result.found == expected ? FileCheck::Result::right : FileCheck::Result::wrong;
      }
    }
    checks.push_back(std::move(result));
  };
  if (const auto origin = read_origin(folder)) {
    for (const ModelOrigin::File& file : origin->files) check(file.name, file.sha256);
    return checks;
  }
  const std::vector<std::string> weights = weight_files(folder);
  for (const std::string& file : weights) {
    std::string expected;
    for (const KnownModel& known : known_models()) {
      const fs::path path = fs::path(folder).lexically_normal();
      const std::string base =
          path.filename().empty() ? path.parent_path().filename().string() : path.filename().string();
      if (weights.size() == 1 && base == known.name) expected = known.weight_hash;
    }
    check(file, expected);
  }
  return checks;
}

}  // namespace markeval::embed
