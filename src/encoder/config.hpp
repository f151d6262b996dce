// A model's config.json, or bert_config.json of older BERTs: what it is and how large. Each architecture
// reads its own names through ConfigFile, so that an error always names the file, the key and what was
// expected.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/folder_files.hpp"

namespace markeval::encoder {

/// The sizes every architecture has. DistilBERT gives some of them names of its own.
enum class Size {
  vocabulary,    ///< vocab_size
  hidden,        ///< hidden_size, dim
  layers,        ///< num_hidden_layers, n_layers
  heads,         ///< num_attention_heads, n_heads
  intermediate,  ///< intermediate_size, hidden_dim
  positions,     ///< max_position_embeddings
};

inline constexpr std::string_view kConfigName = "config.json";
/// As Google and the first PyTorch BERT call it. It counts where there is no config.json.
inline constexpr std::string_view kOldConfigName = "bert_config.json";
inline constexpr std::array kConfigNames{kConfigName, kOldConfigName};

class ConfigFile {
 public:
  /// Reads FOLDER/config.json or bert_config.json. Throws Error(io) where there is none and
  /// Error(invalid_input) where it is no JSON object.
  explicit ConfigFile(const std::string& folder);
  /// The same from files (kConfigNames) that have been read.
  explicit ConfigFile(const FolderFiles& files);
  ~ConfigFile();
  ConfigFile(ConfigFile&&) noexcept;

  const std::string& path() const { return path_; }
  bool has(const char* key) const;       ///< present and not null
  bool mentions(const char* key) const;  ///< present, perhaps null

  /// Its model_type; "bert" where a file of BERT's first years has none. Empty where the file does not tell.
  std::string architecture() const;

  // Each throws Error(invalid_input) naming the key where it is absent or of another type.
  std::string text(const char* key) const;
  std::size_t positive(const char* key) const;  ///< a whole number >= 1

  /// A size under whichever of its names the file has. All who want to know a model's sizes ask here, so that
  /// they get one answer. Throws as `positive` does, where two names hold different numbers (naming both),
  /// and where the number is too large to be true.
  std::size_t size(Size size) const;
  /// The same, and nothing where the file has none of the names.
  std::optional<std::size_t> find_size(Size size) const;

  // The default where the key is absent or null.
  std::string text_or(const char* key, const std::string& fallback) const;
  std::size_t count_or(const char* key, std::size_t fallback) const;     ///< a whole number >= 0
  std::size_t positive_or(const char* key, std::size_t fallback) const;  ///< a whole number >= 1
  std::ptrdiff_t integer_or(const char* key, std::ptrdiff_t fallback) const;
  double number_or(const char* key, double fallback) const;
  bool flag_or(const char* key, bool fallback) const;
  /// The object below `key`, whose path() names both. Nothing where it is absent or null.
  std::optional<ConfigFile> object(const char* key) const;
  /// A list of strings, or one string of parts between '|', as DeBERTa's files have it.
  std::vector<std::string> words_or_none(const char* key) const;

 private:
  struct Document;
  ConfigFile(std::string path, std::unique_ptr<Document> document);
  const void* find(const char* key) const;
  [[noreturn]] void mistyped(const char* key, const void* value, const char* expected) const;
  std::string path_;
  std::unique_ptr<Document> document_;
};

/// What the activation of the feed-forward part may be called in a config.json.
enum class HiddenActivation { gelu, gelu_tanh, relu, silu, tanh };

/// The dimensions every architecture has.
struct Dimensions {
  std::size_t vocabulary = 0;
  std::size_t hidden = 0;
  std::size_t layers = 0;
  std::size_t heads = 0;
  std::size_t intermediate = 0;
  std::size_t max_length = 0;  ///< tokens of a sequence, specials included
  float layer_norm_epsilon = 0;
  HiddenActivation activation = HiddenActivation::gelu;

  std::size_t head_width() const { return hidden / heads; }
};

/// Throws Error(invalid_input) naming the file and those known, where `key` names another activation.
HiddenActivation read_activation(const ConfigFile& config, const char* key, const std::string& fallback);

/// Throws Error(invalid_input) where the number under `key` is none that can stand below a root.
float read_norm_epsilon(const ConfigFile& config, const char* key, double fallback);

/// All of `Size`; layer norm and activation are left to the architecture. Heads must share the hidden size
/// evenly.
Dimensions read_sizes(const ConfigFile& config);
/// These, and layer_norm_eps and hidden_act, as BERT made them customary.
Dimensions read_customary_dimensions(const ConfigFile& config, double default_epsilon,
                                     const std::string& default_activation = "gelu");
/// Models with another position_embedding_type ("relative_key") are refused by name.
void require_absolute_positions(const ConfigFile& config);

}  // namespace markeval::encoder
