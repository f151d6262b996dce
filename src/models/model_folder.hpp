// One state of a model folder: settings, tokenizer and weights that belong together, and the names they go
// by. Small files are read when it is made and weight files are opened, so that a folder exchanged afterwards
// does not mix two models. No weights are read before somebody needs them.
//
//   const models::ModelFolder model(models::find_model("all-MiniLM-L6-v2"));
//   model.signature();                                          // all-MiniLM-L6-v2@53aa5117
//   encoder::Encoder encoder(model.config(), model.weights(), device);
//   if (!model.is_current()) ...                                // another model lies there now
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/folder_files.hpp"
#include "base/turns.hpp"
#include "encoder/config.hpp"
#include "encoder/pooling.hpp"
#include "encoder/weight_files.hpp"
#include "models/hash_notes.hpp"
#include "token/token_limit.hpp"
#include "token/tokenizer.hpp"

namespace markeval::models {

/// What a folder says about turning text into vectors, besides its architecture: sentence-transformers'
/// modules and pooling. A plain Hugging Face folder says nothing, and gets the mean over all tokens.
struct ModelSettings {
  encoder::Pooling pooling = encoder::Pooling::mean;
  bool normalize = false;
};

class ModelFolder {
 public:
  /// Throws Error(io) where there is no such folder or it changes all the time, Error(invalid_input) for
  /// settings markeval does not have. A folder without config.json, tokenizer or weights serves for the rest.
  explicit ModelFolder(const std::string& path);

  const std::string& path() const { return path_; }
  /// "all-MiniLM-L6-v2": the folder's name, wherever a link leads.
  const std::string& name() const { return name_; }
  const ModelSettings& settings() const { return settings_; }
  /// The small files beside the weights, as they were read: configuration and tokenizer. Their folder may lie
  /// below path() (0_Transformer).
  const FolderFiles& files() const { return parts_[transformer_]; }

  /// These throw what is wrong with the file they are read from.
  encoder::ConfigFile config() const { return encoder::ConfigFile(files()); }
  token::Tokenizer tokenizer() const { return token::Tokenizer::load(files()); }
  /// See token/token_limit.hpp.
  std::size_t token_limit(token::LimitFor purpose) const { return token::token_limit(files(), purpose); }
  std::size_t position_limit() const { return token::position_limit(files()); }
  /// The name the configuration gives itself, `_name_or_path`: "FacebookAI/roberta-large", perhaps a path of
  /// whoever saved it. Empty where it has none.
  std::string name_in_config() const;

  /// Throws where there are none: see encoder::open_weights().
  const encoder::WeightFiles& weights() const;
  std::uint64_t weight_bytes() const;  ///< 0 where there are none

  /// 64 digits: see models::weight_hash(). Any number of threads may ask; the first one may have to read the
  /// weights. Throws Error(cancelled) where one of them is stopped.
  const std::string& weight_hash() const;
  /// One hash of all that makes this model's vectors besides the weights.
  const std::string& settings_hash() const { return settings_hash_; }
  /// "all-MiniLM-L6-v2@53aa5117": the name and the first 8 digits of the weight hash.
  std::string signature() const { return name_ + "@" + weight_hash().substr(0, 8); }

  /// Whether this path leads to one of the files of the model.
  bool has_file(const std::string& file_path) const;
  /// Whether the folder still holds this state. Asks for the status of a dozen files and reads none.
  bool is_current() const;

 private:
  void read();
  void read_settings();
  std::vector<std::optional<FileIdentity>> whole_weights_now() const;

  std::string path_, name_;
  std::vector<FolderFiles> parts_;
  std::size_t transformer_ = 0;  ///< the one of `parts_` with config.json and tokenizer
  ModelSettings settings_;
  std::string settings_hash_;
  /// Identities of the files of kWholeWeightsNames, used or not: a new one may take the place of others.
  std::vector<std::optional<FileIdentity>> whole_weights_;
  std::optional<encoder::WeightFiles> weights_;
  std::optional<Error> weights_problem_;
  mutable Turns hashing_;            ///< guards weight_hash_
  mutable std::string weight_hash_;  ///< empty: nobody has asked yet
};

/// The sha256 that signatures and cache keys name a model by. It is that of the bytes of open files, those an
/// encoder is loaded from. One file: its sha256. Shards: the sha256 of their sha256s, written as hex digits
/// one after the other. Without notes it is made of the bytes, always.
std::string weight_hash(const encoder::WeightFiles& weights, const HashNotes& notes = HashNotes("none"));

/// The name of a folder that need not be a model: "all-MiniLM-L6-v2".
std::string model_name(const std::string& folder);

enum class ModuleKind { transformer, pooling, normalize };

struct Module {
  ModuleKind kind;
  std::string folder;  ///< below that of the model; empty: that folder itself
};

inline constexpr std::string_view kModulesName = "modules.json";

/// Those modules.json names; none where there is no such file. Throws Error(invalid_input) for another kind
/// of module and for folders elsewhere.
std::vector<Module> read_modules(const FolderFiles& model);

/// From config.json of a pooling module's folder. Throws Error(invalid_input) naming another way of pooling.
encoder::Pooling read_pooling(const FolderFiles& module);

/// sentence_bert_config.json of the transformer. Throws Error(invalid_input) where it asks for lower case.
void require_no_lower_case(const FolderFiles& transformer);

}  // namespace markeval::models
