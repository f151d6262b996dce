// Pieces and their ids, both ways.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.hpp"
#include "token/piece_trie.hpp"

namespace markeval::token {

struct JsonPath;

class Vocabulary {
 public:
  Vocabulary() = default;
  /// From {"piece": id, ...}. Throws Error(invalid_input) on ids that are none.
  Vocabulary(const nlohmann::json& entries, const JsonPath& where);

  /// Throws Error(invalid_input) for an id that is none and a piece that is too long.
  void add(std::string_view piece, std::int32_t id, const JsonPath& where);
  std::optional<std::int32_t> id(std::string_view piece) const {
    const std::int32_t found = trie_.find(piece);
    return found < 0 ? std::nullopt : std::optional(found);
  }
  /// The piece of that id; empty where none has it.
  std::string_view piece(std::int32_t id) const {
    const auto index = static_cast<std::size_t>(id);
    return id >= 0 && index < pieces_.size() ? std::string_view(pieces_[index]) : std::string_view();
  }
  /// Different pieces.
  std::size_t size() const { return trie_.size(); }
  /// One more than the largest id.
  std::size_t id_limit() const { return pieces_.size(); }
  const PieceTrie& trie() const { return trie_; }

 private:
  PieceTrie trie_;
  std::vector<std::string> pieces_;
  std::uint64_t most_piece_bytes_ = limit_of(Limit::piece_bytes);
};

}  // namespace markeval::token
