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
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/folder_files.hpp"
#include "encoder/config.hpp"
#include "encoder/weight_files.hpp"
#include "models/settings.hpp"
#include "token/token_limit.hpp"
#include "token/tokenizer.hpp"

namespace markeval::models {

class ModelFolder {
 public:
  /// Throws Error(io) where there is no such folder or it changes all the time, Error(invalid_input) for
  /// settings markeval does not have. A folder without config.json, tokenizer or weights serves for the rest.
  explicit ModelFolder(const std::string& path);
  ~ModelFolder();
  ModelFolder(ModelFolder&&) noexcept;

  const std::string& path() const;
  /// "all-MiniLM-L6-v2": the folder's name, wherever a link leads.
  const std::string& name() const;
  const ModelSettings& settings() const;

  /// These throw what is wrong with the file they are read from.
  encoder::ConfigFile config() const;
  token::Tokenizer tokenizer() const;
  /// See token/token_limit.hpp.
  std::size_t token_limit(token::LimitFor purpose) const;
  std::size_t position_limit() const;
  /// The name the configuration gives itself, `_name_or_path`: "FacebookAI/roberta-large", perhaps a path of
  /// whoever saved it. Empty where it has none.
  std::string name_in_config() const;

  /// Throws where there are none: see encoder::open_weights().
  const encoder::WeightFiles& weights() const;
  std::uint64_t weight_bytes() const;

  /// 64 digits: see models/hash.hpp. Any number of threads may ask; the first one may have to read the
  /// weights.
  const std::string& weight_hash() const;
  /// One hash of all that makes this model's vectors besides the weights.
  const std::string& settings_hash() const;
  /// "all-MiniLM-L6-v2@53aa5117": the name and the first 8 digits of the weight hash.
  std::string signature() const;

  /// Whether the folder still holds this state. Asks for the status of a dozen files and reads none.
  bool is_current() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The name of a folder that need not be a model: "all-MiniLM-L6-v2".
std::string model_name(const std::string& folder);

}  // namespace markeval::models
