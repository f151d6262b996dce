// The patterns tokenizer.json may name: literal strings and regular expressions. PCRE2 matches them; what it
// would read otherwise than Oniguruma, which tokenizers are made with, is rewritten or refused
// (pattern_dialect.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace markeval::token {

struct JsonPlace;

/// Bytes behind the piece of GPT-2's pattern that starts at `position` of `text`. Written out, because every
/// text of a byte-level model goes through it.
std::size_t gpt2_piece_end(std::string_view text, std::size_t position);

class TextPattern {
 public:
  /// `description` is {"String": "..."} or {"Regex": "..."}. Throws Error(invalid_input) naming what is not
  /// supported.
  TextPattern(const nlohmann::json& description, const JsonPlace& place);
  ~TextPattern();
  TextPattern(TextPattern&&) noexcept;
  TextPattern& operator=(TextPattern&&) noexcept;

  struct PatternMatch {
    std::size_t begin;
    std::size_t end;
  };
  /// The first match at or behind `position`; never empty. `text` must be valid UTF-8 and `position` the
  /// start of a character. Any number of threads may call it. Throws Error(invalid_input) where the
  /// expression takes more steps than a text of this length can need.
  std::optional<PatternMatch> find(std::string_view text, std::size_t position) const;

 private:
  struct Expression;
  std::string literal_;
  std::unique_ptr<Expression> expression_;  ///< null: GPT-2's, or a literal string
};

}  // namespace markeval::token
