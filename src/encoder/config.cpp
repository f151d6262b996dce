// Typed access to JSON keys under their usual and older names, and the sizes that all architectures read.
#include "encoder/config.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_reader.hpp"
#include "base/quotation.hpp"
#include "base/suggestion.hpp"

namespace markeval::encoder {

using Json = nlohmann::json;

namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr std::size_t kLargest = 1u << 24;  // a size above it cannot be true

/// The customary name first.
std::vector<const char*> names_of(Size size) {
  switch (size) {
    case Size::vocabulary:
      return {"vocab_size"};
    case Size::hidden:
      return {"hidden_size", "dim"};
    case Size::layers:
      return {"num_hidden_layers", "n_layers"};
    case Size::heads:
      return {"num_attention_heads", "n_heads"};
    case Size::intermediate:
      return {"intermediate_size", "hidden_dim"};
    case Size::positions:
      break;
  }
  return {"max_position_embeddings"};
}

}  // namespace

struct ConfigFile::Document {
  Json json;
};

ConfigFile::ConfigFile(const std::string& folder) : ConfigFile(FolderFiles(folder, kConfigNames)) {}

ConfigFile::ConfigFile(const FolderFiles& files) {
  const bool is_old = files.find(kConfigName) == nullptr && files.find(kOldConfigName) != nullptr;
  if (files.find(kConfigName) == nullptr && !is_old) {
    throw Error(ErrorCode::io, fmt::format("{}: no {} and no {}, expected a model", files.folder(),
                                           kConfigName, kOldConfigName));
  }
  const std::string_view name = is_old ? kOldConfigName : kConfigName;
  path_ = files.path(name);
  document_ =
      std::make_unique<Document>(Document{parse_json_object(files.get(name), path_, {.bytes = kMostBytes})});
}

ConfigFile::ConfigFile(std::string path, std::unique_ptr<Document> document)
    : path_(std::move(path)), document_(std::move(document)) {}

ConfigFile::~ConfigFile() = default;
ConfigFile::ConfigFile(ConfigFile&&) noexcept = default;

const void* ConfigFile::find(const char* key) const {
  const auto found = document_->json.find(key);
  return found == document_->json.end() || found->is_null() ? nullptr : &*found;
}

void ConfigFile::mistyped(const char* key, const void* value, const char* expected) const {
  if (value == nullptr) throw_invalid(fmt::format("{}: no '{}', expected {}", path_, key, expected));
  throw_invalid(fmt::format("{}: '{}' is {}, expected {}", path_, key,
                            brief(*static_cast<const Json*>(value)), expected));
}

std::string ConfigFile::architecture() const {
  if (has("model_type")) return text("model_type");
  if (path_.ends_with(kOldConfigName)) return "bert";
  // config.json of pytorch-pretrained-bert. RoBERTa's of that time has one type of tokens, ALBERT's and
  // ELECTRA's the width of their embeddings.
  const bool is_bert = has("hidden_act") && has("max_position_embeddings") && !has("embedding_size") &&
                       count_or("type_vocab_size", 0) == 2;
  return is_bert ? "bert" : "";
}

bool ConfigFile::has(const char* key) const {
  return find(key) != nullptr;
}

bool ConfigFile::mentions(const char* key) const {
  return document_->json.contains(key);
}

std::string ConfigFile::text(const char* key) const {
  const auto* const value = static_cast<const Json*>(find(key));
  if (value == nullptr || !value->is_string()) mistyped(key, value, "a string");
  return value->get<std::string>();
}

std::size_t ConfigFile::positive(const char* key) const {
  const auto* const value = static_cast<const Json*>(find(key));
  if (value == nullptr || !value->is_number_unsigned() || value->get<std::uint64_t>() == 0) {
    mistyped(key, value, "a whole number above 0");
  }
  return value->get<std::size_t>();
}

std::optional<std::size_t> ConfigFile::find_size(Size size) const {
  const char* found = nullptr;
  for (const char* const name : names_of(size)) {
    if (!has(name)) continue;
    const std::size_t value = positive(name);
    if (value > kLargest) throw_invalid(fmt::format("{}: a size of {} cannot be right", path_, value));
    if (found != nullptr && positive(found) != value) {
      throw_invalid(fmt::format("{}: '{}' is {} but '{}' is {}, expected one number for both", path_, found,
                                positive(found), name, value));
    }
    found = name;
  }
  return found == nullptr ? std::nullopt : std::optional(positive(found));
}

std::size_t ConfigFile::size(Size size) const {
  const std::optional<std::size_t> found = find_size(size);
  return found ? *found : positive(names_of(size).front());
}

std::string ConfigFile::text_or(const char* key, const std::string& fallback) const {
  return has(key) ? text(key) : fallback;
}

std::size_t ConfigFile::count_or(const char* key, std::size_t fallback) const {
  const auto* const value = static_cast<const Json*>(find(key));
  if (value == nullptr) return fallback;
  if (!value->is_number_unsigned()) mistyped(key, value, "a whole number");
  return value->get<std::size_t>();
}

std::size_t ConfigFile::positive_or(const char* key, std::size_t fallback) const {
  return has(key) ? positive(key) : fallback;
}

std::ptrdiff_t ConfigFile::integer_or(const char* key, std::ptrdiff_t fallback) const {
  const auto* const value = static_cast<const Json*>(find(key));
  if (value == nullptr) return fallback;
  if (!value->is_number_integer()) mistyped(key, value, "a whole number");
  return value->get<std::ptrdiff_t>();
}

double ConfigFile::number_or(const char* key, double fallback) const {
  const auto* const value = static_cast<const Json*>(find(key));
  if (value == nullptr) return fallback;
  if (!value->is_number()) mistyped(key, value, "a number");
  return value->get<double>();
}

bool ConfigFile::flag_or(const char* key, bool fallback) const {
  const auto* const value = static_cast<const Json*>(find(key));
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) mistyped(key, value, "true or false");
  return value->get<bool>();
}

std::optional<ConfigFile> ConfigFile::object(const char* key) const {
  const auto* const value = static_cast<const Json*>(find(key));
  if (value == nullptr) return std::nullopt;
  if (!value->is_object()) mistyped(key, value, "an object");
  return ConfigFile(path_ + ": " + key, std::make_unique<Document>(Document{*value}));
}

std::vector<std::string> ConfigFile::words_or_none(const char* key) const {
  const auto* const value = static_cast<const Json*>(find(key));
  std::vector<std::string> words;
  if (value == nullptr) return words;
  if (value->is_string()) {
    std::string word;
    for (const char character : value->get<std::string>() + "|") {
      if (character != '|') {
        if (character != ' ') word += character;
      } else if (!word.empty()) {
        words.push_back(std::exchange(word, {}));
      }
    }
    return words;
  }
  if (!value->is_array()) mistyped(key, value, "a list of strings");
  for (const Json& item : *value) {
    if (!item.is_string()) mistyped(key, value, "a list of strings");
    words.push_back(item.get<std::string>());
  }
  return words;
}

HiddenActivation read_activation(const ConfigFile& config, const char* key, const std::string& fallback) {
  const std::string name = config.text_or(key, fallback);
  if (name == "gelu" || name == "gelu_python") return HiddenActivation::gelu;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast")
    return HiddenActivation::gelu_tanh;
  if (name == "relu") return HiddenActivation::relu;
  if (name == "silu" || name == "swish") return HiddenActivation::silu;
  if (name == "tanh") return HiddenActivation::tanh;
  const std::vector<std::string> known{"gelu", "gelu_new", "gelu_pytorch_tanh", "gelu_fast", "relu",
                                       "silu", "tanh"};
  throw_invalid(fmt::format("{}: '{}' is {}, an activation markeval does not have{}", config.path(), key,
                            in_quotes(name), suggestion(name, known)));
}

float read_norm_epsilon(const ConfigFile& config, const char* key, double fallback) {
  const auto epsilon = static_cast<float>(config.number_or(key, fallback));
  if (!(epsilon >= 0) || !std::isfinite(epsilon))
    throw_invalid(fmt::format("{}: {} must be a number >= 0", config.path(), key));
  return epsilon;
}

Dimensions read_sizes(const ConfigFile& config) {
  for (const char* const key : {"is_decoder", "is_encoder_decoder", "add_cross_attention"}) {
    if (config.flag_or(key, false))
      throw_invalid(fmt::format("{}: '{}' is true, markeval has encoders only", config.path(), key));
  }
  Dimensions dimensions;
  dimensions.vocabulary = config.size(Size::vocabulary);
  dimensions.hidden = config.size(Size::hidden);
  dimensions.layers = config.size(Size::layers);
  dimensions.heads = config.size(Size::heads);
  dimensions.intermediate = config.size(Size::intermediate);
  dimensions.max_length = config.size(Size::positions);
  if (dimensions.hidden % dimensions.heads != 0) {
    throw_invalid(fmt::format("{}: a hidden size of {} cannot be shared by {} heads", config.path(),
                              dimensions.hidden, dimensions.heads));
  }
  return dimensions;
}

Dimensions read_customary_dimensions(const ConfigFile& config, double default_epsilon,
                                     const std::string& default_activation) {
  Dimensions dimensions = read_sizes(config);
  dimensions.layer_norm_epsilon = read_norm_epsilon(config, "layer_norm_eps", default_epsilon);
  dimensions.activation = read_activation(config, "hidden_act", default_activation);
  return dimensions;
}

void require_absolute_positions(const ConfigFile& config) {
  const std::string type = config.text_or("position_embedding_type", "absolute");
  if (type != "absolute") {
    throw_invalid(fmt::format("{}: position_embedding_type is {}, markeval has 'absolute' only",
                              config.path(), in_quotes(type)));
  }
}

}  // namespace markeval::encoder
