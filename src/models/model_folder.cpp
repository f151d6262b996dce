// Reading of settings and pooling, checks that the folder did not change meanwhile, and hashing of the
// weights.
#include "models/model_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <utility>

#include "base/digest.hpp"
#include "base/json.hpp"
#include "base/json_reader.hpp"
#include "base/quotation.hpp"
#include "models/store.hpp"
#include "token/tokenizer_files.hpp"

namespace markeval::models {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using encoder::Pooling;

constexpr int kAttempts = 5;
constexpr std::size_t kSoonHashed = std::size_t{256} << 20;  ///< bytes; more take a second and longer

/// All that is read of a folder with a transformer. Whatever is read is part of the settings hash.
constexpr auto kSettingsFiles = [] {
  std::array<std::string_view, token::kTokenizerFiles.size() + encoder::kWeightsIndexNames.size() + 1> names{
      kModulesName};
  const auto rest =
      std::copy(encoder::kWeightsIndexNames.begin(), encoder::kWeightsIndexNames.end(), names.begin() + 1);
  std::copy(token::kTokenizerFiles.begin(), token::kTokenizerFiles.end(), rest);
  return names;
}();
constexpr std::array<std::string_view, 1> kPoolingFiles{encoder::kConfigName};

constexpr JsonLimits kSettingsLimits{.bytes = std::size_t{1} << 20};
constexpr std::string_view kSentenceName = "sentence_bert_config.json";

Module read_module(const Json& entry, const std::string& path) {
  const auto has_text = [&](const char* key) { return entry.contains(key) && entry[key].is_string(); };
  if (!has_text("type") || !has_text("path")) throw_invalid(path + ": a module without 'type' and 'path'");
  const auto type = entry["type"].get<std::string>(), folder = entry["path"].get<std::string>();
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

/// Throws Error(invalid_input) where the files hold no tensors.
void require_weights(const encoder::WeightFiles& weights) {
  try {
    encoder::read_tensor_files(weights);
  } catch (const Error&) {
    weights.require_unchanged();  // that a file is damaged is not the news where somebody writes into it
    throw;
  }
}

/// A file changed within the clock's last ticks might change again without its identity showing it.
bool is_settled(const FileIdentity& identity) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return identity.changed_ns + 2'000'000'000 < std::chrono::nanoseconds(now).count();
}

}  // namespace

ModelFolder::ModelFolder(const std::string& path) : path_(path), name_(model_name(path)) {
  // An exchange while files are read would mix two states, so all are looked at once more afterwards.
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    read();
    if (is_current()) return;
  }
  throw Error(ErrorCode::io, path + ": changes while it is read; run again");
}

void ModelFolder::read() {
  read_settings();
  whole_weights_ = whole_weights_now();
  weights_.reset();
  weights_problem_.reset();
  try {
    weights_ = encoder::open_weights(files());
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) throw;
    weights_problem_ = error;
  }
  Digest digest(Digest::HashKind::sha256);
  for (const FolderFiles& part : parts_) {
    for (const auto& [file_name, file] : part.files()) {
      if (!file) continue;
      const std::string relative = fs::path(part.path(file_name)).lexically_relative(path_).string();
      digest.add(relative + " " + std::to_string(file->bytes.size()) + "\n");
      digest.add(file->bytes);
    }
  }
  settings_hash_ = digest.hex();
}

void ModelFolder::read_settings() {
  parts_.clear();
  parts_.emplace_back(path_, kSettingsFiles);
  transformer_ = 0;
  settings_ = {};
  for (const Module& module : read_modules(parts_.front())) {
    const std::string folder = (fs::path(path_) / module.folder).string();
    std::error_code ignored;
    if (module.kind != ModuleKind::normalize && !fs::is_directory(folder, ignored)) {
      throw Error(ErrorCode::io, fmt::format("{}: names the folder {}, which is not there",
                                             parts_.front().path(kModulesName), in_quotes(module.folder)));
    }
    if (module.kind == ModuleKind::pooling) {
      settings_.pooling = read_pooling(parts_.emplace_back(folder, kPoolingFiles));
    } else if (module.kind == ModuleKind::normalize) {
      settings_.normalize = true;
    } else if (!module.folder.empty()) {
      transformer_ = parts_.size();
      parts_.emplace_back(folder, kSettingsFiles);
    }
  }
  require_no_lower_case(files());
}

std::vector<std::optional<FileIdentity>> ModelFolder::whole_weights_now() const {
  std::vector<std::optional<FileIdentity>> found;
  for (const std::string_view file : encoder::kWholeWeightsNames)
    found.push_back(identity_of(files().path(file)));
  return found;
}

std::string ModelFolder::name_in_config() const {
  if (files().find(encoder::kConfigName) == nullptr) return {};  // an old one has no name
  return config().text_or("_name_or_path", "");
}

const encoder::WeightFiles& ModelFolder::weights() const {
  if (weights_problem_) throw *weights_problem_;
  return *weights_;
}

std::uint64_t ModelFolder::weight_bytes() const {
  std::uint64_t bytes = 0;
  if (weights_) {
    for (const OpenFile& file : weights_->files) bytes += file.size();
  }
  return bytes;
}

const std::string& ModelFolder::weight_hash() const {
  const std::lock_guard lock(hashing_);
  if (weight_hash_.empty()) weight_hash_ = models::weight_hash(weights(), HashNotes(default_cache_folder()));
  return weight_hash_;
}

bool ModelFolder::has_file(const std::string& file_path) const {
  const std::optional<FileIdentity> wanted = identity_of(file_path);
  if (!wanted) return false;
  const auto same = [&](const FileIdentity& file) {
    return file.device == wanted->device && file.inode == wanted->inode;
  };
  for (const FolderFiles& part : parts_) {
    for (const auto& [name, file] : part.files()) {
      if (file && same(file->identity)) return true;
    }
  }
  return weights_ && std::ranges::any_of(weights_->files, same, &OpenFile::identity);
}

bool ModelFolder::is_current() const {
  const auto current = [](const auto& one) { return one.is_current(); };
  return std::ranges::all_of(parts_, current) && whole_weights_now() == whole_weights_ &&
         (!weights_ || std::ranges::all_of(weights_->files, current));
}

std::string weight_hash(const encoder::WeightFiles& weights, const HashNotes& notes) {
  std::string hashes;
  bool is_checked = false;
  for (const OpenFile& file : weights.files) {
    std::optional<std::string> hash = notes.find(file.identity());
    if (!hash) {
      // Bytes that are no weights need not be hashed, where that lasts.
      if (file.size() > kSoonHashed && !std::exchange(is_checked, true)) require_weights(weights);
      hash = sha256_of(file);
      if (is_settled(file.identity())) notes.keep(file.identity(), *hash);
    }
    hashes += *hash;
  }
  return weights.files.size() == 1 ? hashes : sha256_of(hashes);
}

std::string model_name(const std::string& folder) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(folder, error);
  if (error) path = folder;
  if (path.filename().empty()) path = path.parent_path();
  return path.filename().string();
}

std::vector<Module> read_modules(const FolderFiles& model) {
  const std::string* const text = model.find(kModulesName);
  if (text == nullptr) return {};
  const std::string path = model.path(kModulesName);
  const Json list = parse_json(*text, path, kSettingsLimits);
  if (!list.is_array()) throw_invalid(path + ": expected a list of modules");
  std::vector<Module> modules;
  for (const Json& entry : list) {
    modules.push_back(read_module(entry, path));
    const std::size_t last = modules.size() - 1;
    const bool in_order =
        last == 0 ? modules[0].kind == ModuleKind::transformer : modules[last - 1].kind < modules[last].kind;
    if (!in_order) throw_invalid(path + ": modules out of order, expected Transformer, Pooling, Normalize");
  }
  if (modules.empty()) throw_invalid(path + ": no modules, expected a Transformer at least");
  return modules;
}

// {"pooling_mode_mean_tokens": true, ...}, or since version 5.2 {"pooling_mode": "mean"}.
Pooling read_pooling(const FolderFiles& module) {
  const std::string path = module.path("config.json");
  const Json settings = parse_json_object(module.get("config.json"), path, kSettingsLimits);
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
  const Json settings = parse_json_object(*text, path, kSettingsLimits);
  const auto lowers = settings.find("do_lower_case");
  if (lowers != settings.end() && !lowers->is_null() && *lowers != false) {
    throw_invalid(fmt::format("{}: do_lower_case is {}, expected false: a tokenizer lowers by itself", path,
                              brief(*lowers)));
  }
}

}  // namespace markeval::models
