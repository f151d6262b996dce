#include "models/model_folder.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <mutex>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/quotation.hpp"
#include "models/hash.hpp"
#include "models/places.hpp"
#include "token/tokenizer_files.hpp"

namespace markeval::models {
namespace {

namespace fs = std::filesystem;

constexpr int kAttempts = 5;

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

}  // namespace

struct ModelFolder::State {
  explicit State(const std::string& folder) : path(folder), name(model_name(folder)) {
    parts.emplace_back(folder, kSettingsFiles);
    settings.transformer_folder = folder;
    for (const Module& module : read_modules(parts.front())) {
      const std::string place = (fs::path(folder) / module.folder).string();
      std::error_code ignored;
      if (module.kind != ModuleKind::normalize && !fs::is_directory(place, ignored)) {
        throw Error(ErrorCode::io, fmt::format("{}: names the folder {}, which is not there",
                                               parts.front().path(kModulesName), in_quotes(module.folder)));
      }
      if (module.kind == ModuleKind::pooling) {
        settings.pooling = read_pooling(parts.emplace_back(place, kPoolingFiles));
      } else if (module.kind == ModuleKind::normalize) {
        settings.normalize = true;
      } else if (!module.folder.empty()) {
        settings.transformer_folder = place;
        transformer = parts.size();
        parts.emplace_back(place, kSettingsFiles);
      }
    }
    require_no_lower_case(files());
    whole_weights = identities();
    try {
      weights = encoder::open_weights(files());
    } catch (const Error& error) {
      weights_problem = error;
    }
    Digest digest(Digest::HashKind::sha256);
    for (const FolderFiles& part : parts) {
      for (const auto& [file_name, file] : part.files()) {
        if (!file) continue;
        const std::string relative = fs::path(part.path(file_name)).lexically_relative(folder).string();
        digest.add(relative + " " + std::to_string(file->bytes.size()) + "\n");
        digest.add(file->bytes);
      }
    }
    settings_hash = digest.hex();
  }

  const FolderFiles& files() const { return parts[transformer]; }
  std::vector<std::optional<FileIdentity>> identities() const {
    std::vector<std::optional<FileIdentity>> found;
    for (const std::string_view weights_name : encoder::kWholeWeightsNames)
      found.push_back(identity_of(files().path(weights_name)));
    return found;
  }

  std::string path, name;
  std::vector<FolderFiles> parts;
  std::size_t transformer = 0;  ///< the one of `parts` with config.json and tokenizer
  ModelSettings settings;
  std::string settings_hash;
  /// Of the files of kWholeWeightsNames, whether they are used or not: one more may take the place of others.
  std::vector<std::optional<FileIdentity>> whole_weights;
  std::optional<encoder::WeightFiles> weights;
  std::optional<Error> weights_problem;
  std::mutex mutex;
  std::string weight_hash;  ///< empty: nobody has asked yet
};

ModelFolder::ModelFolder(const std::string& path) {
  // An exchange while files are read would mix two states, so all are looked at once more afterwards.
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    state_ = std::make_unique<State>(path);
    if (is_current()) return;
  }
  throw Error(ErrorCode::io, path + ": changes while it is read; run again");
}
ModelFolder::~ModelFolder() = default;
ModelFolder::ModelFolder(ModelFolder&&) noexcept = default;

const std::string& ModelFolder::path() const {
  return state_->path;
}
const std::string& ModelFolder::name() const {
  return state_->name;
}
const ModelSettings& ModelFolder::settings() const {
  return state_->settings;
}
encoder::ConfigFile ModelFolder::config() const {
  return encoder::ConfigFile(state_->files());
}
token::Tokenizer ModelFolder::tokenizer() const {
  return token::Tokenizer::load(state_->files());
}
std::size_t ModelFolder::token_limit(token::LimitFor purpose) const {
  return token::token_limit(state_->files(), purpose);
}
std::size_t ModelFolder::position_limit() const {
  return token::position_limit(state_->files());
}

std::string ModelFolder::name_in_config() const {
  if (state_->files().find(encoder::kConfigName) == nullptr) return {};  // an old one has no name
  return config().text_or("_name_or_path", "");
}

const encoder::WeightFiles& ModelFolder::weights() const {
  if (state_->weights_problem) throw *state_->weights_problem;
  return *state_->weights;
}

std::uint64_t ModelFolder::weight_bytes() const {
  std::uint64_t bytes = 0;
  for (const OpenFile& file : weights().files) bytes += file.size();
  return bytes;
}

const std::string& ModelFolder::weight_hash() const {
  const std::lock_guard lock(state_->mutex);
  if (state_->weight_hash.empty())
    state_->weight_hash = models::weight_hash(weights(), HashNotes(default_cache_folder()));
  return state_->weight_hash;
}

const std::string& ModelFolder::settings_hash() const {
  return state_->settings_hash;
}
std::string ModelFolder::signature() const {
  return name() + "@" + weight_hash().substr(0, 8);
}

bool ModelFolder::is_current() const {
  for (const FolderFiles& part : state_->parts) {
    if (!part.is_current()) return false;
  }
  if (state_->identities() != state_->whole_weights) return false;
  if (!state_->weights) return true;
  for (const OpenFile& file : state_->weights->files) {
    if (!file.is_current()) return false;
  }
  return true;
}

std::string model_name(const std::string& folder) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(folder, error);
  if (error) path = folder;
  if (path.filename().empty()) path = path.parent_path();
  return path.filename().string();
}

}  // namespace markeval::models
