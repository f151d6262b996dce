// The limit is the smaller of the model's positions and the length in its tokenizer's settings, or for
// sentence vectors in those of sentence-transformers.
#include "token/token_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/json_reader.hpp"
#include "token/json_fields.hpp"
#include "token/tokenizer.hpp"
#include "token/tokenizer_files.hpp"

namespace markeval::token {
namespace {

// transformers writes int(1e30) where a tokenizer has no maximum; anything of this size means the same.
constexpr double kAbsurd = 1e9;

// A positive number of tokens, or nothing where the field is absent or absurdly large.
std::optional<std::size_t> read_limit(const json& config, const char* key, const std::string& file) {
  const json* value = find_field(config, key);
  if (value == nullptr) return std::nullopt;
  // int(1e30) does not fit into an integer.
  const bool whole = value->is_number_integer() || (value->is_number() && value->get<double>() > kAbsurd);
  if (!whole || value->get<double>() < 1) {
    throw_invalid(fmt::format("{}: '{}' is {}, expected a number of tokens", file, key, brief(*value)));
  }
  if (value->get<double>() > kAbsurd) return std::nullopt;
  return value->get<std::size_t>();
}

// Positions a sequence may use: models of RoBERTa's kind count from behind the padding's position.
std::optional<std::size_t> usable_positions(const FolderFiles& files) {
  const bool is_old = files.find("config.json") == nullptr && files.find("bert_config.json") != nullptr;
  const char* const name = is_old ? "bert_config.json" : "config.json";
  const std::string path = files.path(name);
  const json config = read_settings(files, name);
  const auto positions = read_limit(config, "max_position_embeddings", path);
  if (!positions) return std::nullopt;
  const std::string type = read_string(config, "model_type", "", JsonPath{path});
  const bool from_padding = type == "roberta" || type == "xlm-roberta" || type == "xlm-roberta-xl" ||
                            type == "camembert" || type == "mpnet" || type == "longformer" || type == "esm" ||
                            type == "roberta-prelayernorm" || type == "data2vec-text" || type == "xmod";
  if (!from_padding) return positions;
  const auto lost = static_cast<std::size_t>(read_count(config, "pad_token_id", 1, JsonPath{path})) + 1;
  if (lost >= *positions) {
    throw_invalid(fmt::format("{}: {} positions, but the padding takes {}", path, *positions, lost));
  }
  return *positions - lost;
}

}  // namespace

std::size_t position_limit(const FolderFiles& files) {
  return usable_positions(files).value_or(kNoLimit);
}

std::size_t token_limit(const FolderFiles& files, LimitFor purpose) {
  const auto limit_in = [&](const char* file, const char* key) {
    return read_limit(read_settings(files, file), key, files.path(file));
  };
  const std::size_t positions = position_limit(files);
  if (purpose == LimitFor::sentences) {
    if (const auto limit = limit_in("sentence_bert_config.json", "max_seq_length"))
      return std::min(*limit, positions);
  }
  return std::min(limit_in("tokenizer_config.json", "model_max_length").value_or(kNoLimit), positions);
}

}  // namespace markeval::token
