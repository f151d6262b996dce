// Models: one word -> tokens. Described by "model" of tokenizer.json.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "token/aligned_text.hpp"
#include "token/vocabulary.hpp"
#include "token/word_cache.hpp"

namespace markeval::token {

struct JsonPath;

/// Room for the models to work in; one per thread.
struct ModelScratch {
  struct Symbol {
    std::int32_t id;
    std::int32_t previous;
    std::int32_t next;
    std::uint32_t bytes;
  };
  struct Merge {
    std::uint32_t rank;
    std::uint32_t position;
    std::int32_t id;
  };
  struct PathNode {
    double score;
    std::uint32_t begin;
    std::int32_t id;
  };
  std::vector<Symbol> symbols;
  std::vector<Merge> merges;
  std::vector<PathNode> path;
  std::vector<Token> reversed;
  WordCache cache;
};

class TokenModel {
 public:
  virtual ~TokenModel() = default;
  /// Appends the tokens of `word` (not empty), with bytes counted from its start.
  virtual void tokenize(std::string_view word, ModelScratch& scratch, std::vector<Token>& out) const = 0;
  virtual const Vocabulary& vocabulary() const = 0;
  /// The id that stands for what the vocabulary does not hold.
  virtual std::optional<std::int32_t> unknown_id() const = 0;
  /// How pieces that continue a word begin ("##"); empty where they look like any other.
  virtual std::string_view continuation_prefix() const { return {}; }
};

/// Throws Error(invalid_input) naming the model where it is unknown, damaged or lacks a field.
std::unique_ptr<TokenModel> make_model(const nlohmann::json& component, const JsonPath& where);

std::unique_ptr<TokenModel> make_wordpiece(const nlohmann::json& component, const JsonPath& where);
std::unique_ptr<TokenModel> make_bpe(const nlohmann::json& component, const JsonPath& where);
std::unique_ptr<TokenModel> make_unigram(const nlohmann::json& component, const JsonPath& where);

}  // namespace markeval::token
