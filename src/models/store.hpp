// The models on this machine: a name -> a folder, what is in it and where it came from. A model folder is a
// Hugging Face folder as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace markeval::models {

/// The model known by a short name, where it comes from and what its weights must be.
inline constexpr const char* kDefaultModel = "all-MiniLM-L6-v2";
inline constexpr const char* kDefaultRepository = "sentence-transformers/all-MiniLM-L6-v2";
inline constexpr const char* kDefaultWeightHash =
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db";

/// Where the cache lies unless told otherwise: $MARKEVAL_CACHE, else $XDG_CACHE_HOME/markeval, else
/// ~/.cache/markeval, else (no home) "none".
std::string default_cache_folder();

/// Where models are looked for, in this order: $MARKEVAL_MODELS, else $XDG_DATA_HOME/markeval/models, else
/// ~/.local/share/markeval/models; then models/ of the working folder. The first is where new ones go.
std::vector<std::string> model_folders();

/// The folder of a model. A path to a folder is that folder; a name is looked for in model_folders(), also
/// one level deeper ("bge-small-en-v1.5" finds BAAI/bge-small-en-v1.5 where no other owner has one of that
/// name). Throws Error(usage) that says where was looked, what is there, and how to get it.
std::string find_model(const std::string& name);

/// What a hub calls a model: OWNER/NAME and our default model as they are, roberta-large ->
/// FacebookAI/roberta-large for the names that papers and other tools use. Empty for any other name.
std::string name_on_hub(const std::string& name);

/// A file of a model as a hub lists it.
struct HubFile {
  std::string name;  ///< as "1_Pooling/config.json"
  std::uint64_t size = 0;
  std::string sha256{};   ///< of large files; empty where the hub gives none
  std::string blob_id{};  ///< git's id, of small files
};

/// What a hub has at one commit. Of a model that was pulled it stands in FOLDER/markeval-origin.json, with
/// the sha256 of every file, written before the folder takes its name.
struct ModelOrigin {
  std::string repository;
  std::string revision;  ///< commit, 40 hex digits
  std::string endpoint;  ///< without user and password
  std::vector<HubFile> files;
};

/// Nothing where the folder has no such file. Throws Error(invalid_input) where it is damaged.
std::optional<ModelOrigin> read_origin(const std::string& folder);
void write_origin(const std::string& folder, const ModelOrigin& origin);

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
  std::string name;
  const char* result = "unknown";  ///< or "right", "wrong", "missing"
  std::string found, expected;     ///< sha256
};
/// From the files' bytes: against the origin's checksums, or that of the default model, or `unknown` where
/// nobody says what they should be.
std::vector<FileCheck> verify_model(const std::string& name);

struct ConvertedFolder {
  std::string folder;
  std::size_t tensors = 0;
  std::uint64_t weight_bytes = 0;
};

/// Writes a model of any format in the one that others read too: config.json, model.safetensors and the
/// tokenizer's files. `from` is a name or a folder, `to` a folder that does not exist yet; it appears whole
/// or not at all. A transformer in a folder of its own (0_Transformer) comes to stand in `to` itself. Numbers
/// become float32; tensors of whole numbers are left out. Old names of parameters become today's. Throws
/// Error(usage) where `to` is there already, and whatever is wrong with the model.
ConvertedFolder convert_model(const std::string& from, const std::string& to);

}  // namespace markeval::models
