// Tokens found in the text before anything else happens to it: [MASK], <s>, words a user added. Described by
// "added_tokens" of tokenizer.json.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "token/aligned_text.hpp"
#include "token/normalizer.hpp"
#include "token/piece_trie.hpp"
#include "token/vocabulary.hpp"

namespace markeval::token {

class AddedTokens {
 public:
  AddedTokens() = default;
  /// Tokens of the model's vocabulary keep its ids, the others are numbered behind it. `normalizer` may be
  /// null.
  AddedTokens(const nlohmann::json& list, const Vocabulary& vocabulary, const Normalizer* normalizer,
              const JsonPath& where);

  /// Cuts bytes [begin, end) of `text` at the tokens that are looked for as they stand (`normalized` false),
  /// or at those looked for in normalised text.
  void split(std::string_view text, std::uint32_t begin, std::uint32_t end, bool normalized,
             std::vector<Piece>& out) const;
  bool any(bool normalized) const { return (normalized ? normalized_ : raw_).any; }

  std::optional<std::int32_t> id(std::string_view content) const;
  std::string_view content(std::int32_t id) const;
  /// One more than the largest id, 0 without tokens.
  std::size_t id_limit() const { return id_limit_; }

 private:
  struct AddedToken {
    std::string content;
    std::int32_t id = -1;
    bool single_word = false;
    bool lstrip = false;
    bool rstrip = false;
    bool normalized = false;
    bool special = false;
  };
  struct Finder {
    PieceTrie trie;  // -> id
    bool starts[256] = {};
    bool any = false;
    void add(std::string_view pattern, std::int32_t id);
  };
  Finder raw_;
  Finder normalized_;
  std::unordered_map<std::int32_t, AddedToken> by_id_;
  PieceTrie ids_;
  std::size_t id_limit_ = 0;
};

}  // namespace markeval::token
