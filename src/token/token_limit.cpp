#include "token/token_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "token/json_fields.hpp"
#include "token/tokenizer.hpp"
#include "token/tokenizer_files.hpp"

namespace markeval::token {
namespace {

namespace fs = std::filesystem;

// transformers writes int(1e30) where a tokenizer has no maximum; anything of this size means the same.
constexpr double kAbsurd = 1e9;

// A positive number of tokens, or nothing where the field is absent or absurdly large.
std::optional<std::size_t> read_limit(const json& config, const char* key, const std::string& file) {
  const json* value = find_field(config, key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number() || value->get<double>() < 1) {
    throw_invalid(fmt::format("{}: '{}' is {}, expected a number of tokens", file, key, value->dump()));
  }
  if (value->get<double>() > kAbsurd) return std::nullopt;
  return value->get<std::size_t>();
}

json read_optional(const fs::path& path) {
  return fs::exists(path) ? read_json_file(path.string()) : json::object();
}

// Positions a sequence may use: models of RoBERTa's kind count from behind the padding's position.
std::optional<std::size_t> usable_positions(const fs::path& folder) {
  const fs::path path = folder / "config.json";
  const json config = read_optional(path);
  const auto positions = read_limit(config, "max_position_embeddings", path.string());
  if (!positions) return std::nullopt;
  const std::string type = read_string(config, "model_type", "", JsonPlace{path.string()});
  const bool from_padding = type == "roberta" || type == "xlm-roberta" || type == "xlm-roberta-xl" ||
                            type == "camembert" || type == "mpnet" || type == "longformer" || type == "esm" ||
                            type == "roberta-prelayernorm" || type == "data2vec-text" || type == "xmod";
  if (!from_padding) return positions;
  const auto lost =
      static_cast<std::size_t>(read_count(config, "pad_token_id", 1, JsonPlace{path.string()})) + 1;
  if (lost >= *positions) {
    throw_invalid(fmt::format("{}: {} positions, but the padding takes {}", path.string(), *positions, lost));
  }
  return *positions - lost;
}

}  // namespace

std::size_t position_limit(const std::string& folder) {
  return usable_positions(folder).value_or(kNoLimit);
}

std::size_t token_limit(const std::string& folder, LimitFor purpose) {
  const fs::path root(folder);
  const std::size_t positions = position_limit(folder);
  if (purpose == LimitFor::sentences) {
    const fs::path path = root / "sentence_bert_config.json";
    if (const auto limit = read_limit(read_optional(path), "max_seq_length", path.string())) {
      return std::min(*limit, positions);
    }
  }
  const fs::path path = root / "tokenizer_config.json";
  const auto declared = read_limit(read_optional(path), "model_max_length", path.string());
  return std::min(declared.value_or(kNoLimit), positions);
}

}  // namespace markeval::token
