// The patterns tokenizer.json may name: literal strings and the small part of regular expressions that models
// of this kind use, matched the way Oniguruma does (leftmost, first alternative, greedy).
//
//   literals, \s \S \n \r \t \p{L} \p{N}, [sets] with ranges and ^, groups of none of these, * + ? {m} {m,}
//   {m,n}, |
//
// The pattern of GPT-2 is known as a whole.
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace markeval::token {

struct JsonPlace;

/// Bytes behind the piece of GPT-2's pattern that starts at `position` of `text`.
std::size_t gpt2_piece_end(std::string_view text, std::size_t position);

class TextPattern {
 public:
  /// `description` is {"String": "..."} or {"Regex": "..."}. Throws Error(invalid_input) naming what is not
  /// supported.
  TextPattern(const nlohmann::json& description, const JsonPlace& place);

  struct Match {
    std::size_t begin;
    std::size_t end;
  };
  /// The first match at or behind `position`; never empty.
  std::optional<Match> find(std::string_view text, std::size_t position) const;

 private:
  struct Atom {
    std::vector<std::pair<char32_t, char32_t>> ranges;
    std::uint16_t properties = 0;      // any of these
    std::uint16_t not_properties = 0;  // none of these, one by one: \S in a set
    bool negated = false;
    std::size_t least = 1;
    std::size_t most = 1;
    bool matches(char32_t character) const;
  };
  using Sequence = std::vector<Atom>;
  class Parser;
  std::optional<std::size_t> match_at(const Sequence& atoms, std::size_t index, std::string_view text,
                                      std::size_t position) const;
  std::vector<Sequence> alternatives_;
  std::string literal_;
  bool gpt2_ = false;
};

}  // namespace markeval::token
