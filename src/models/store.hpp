// The models on this machine: a name -> a folder, and what is in it. A model folder is a Hugging Face folder
// as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/origin.hpp"

namespace markeval::models {

inline constexpr const char* kDefaultModel = "all-MiniLM-L6-v2";

/// A model known by a short name: where it comes from and what its weights must be.
struct KnownModel {
  std::string name;
  std::string repository;
  std::string weight_hash;
};
const std::vector<KnownModel>& known_models();

/// The folder of a model. A path to a folder is that folder; a name is looked for in model_folders(), also
/// one level deeper ("bge-small-en-v1.5" finds BAAI/bge-small-en-v1.5 where no other owner has one of that
/// name). Throws Error(usage) that says where was looked, what is there, and how to get it.
std::string find_model(const std::string& name);

struct ModelInfo {
  std::string name;  ///< as find_model takes it
  std::string folder;
  std::string architecture;  ///< model_type of config.json
  std::uint64_t layers = 0, hidden = 0, vocabulary = 0;
  std::uint64_t weight_bytes = 0;
  std::string weight_hash;
  std::string signature;       ///< "all-MiniLM-L6-v2@53aa5117"
  std::string name_in_config;  ///< `_name_or_path` of its configuration, or empty
  std::optional<ModelOrigin> origin;
  std::string problem;  ///< in a list: why it cannot be used
};
/// Throws Error(io) or Error(invalid_input) where the folder is no model.
ModelInfo model_info(const std::string& name);

/// Every folder of model_folders() with a config.json, in order of name; one that cannot be used says why.
std::vector<ModelInfo> list_models();

/// One line per file checked against what is known about it.
struct FileCheck {
  enum class FileState { right, wrong, missing, unknown };
  std::string name;
  FileState result = FileState::unknown;
  std::string found, expected;  ///< sha256
};
/// From the files' bytes: against the origin's checksums, or those of known_models(), or `unknown` where
/// nobody says what they should be.
std::vector<FileCheck> verify_model(const std::string& name);

}  // namespace markeval::models
