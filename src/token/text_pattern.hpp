// The patterns tokenizer.json may name: literal strings and regular expressions. PCRE2 matches them; what it
// would read otherwise than Oniguruma, which tokenizers are made with, is rewritten or refused
// (pattern_dialect.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace markeval::token {

struct JsonPath;

/// Bytes behind the piece of GPT-2's pattern that starts at `position` of `text`. Written out, because every
/// text of a byte-level model goes through it.
std::size_t gpt2_piece_end(std::string_view text, std::size_t position);

class TextPattern {
 public:
  /// `description` is {"String": "..."} or {"Regex": "..."}. Throws Error(invalid_input) naming what is not
  /// supported.
  TextPattern(const nlohmann::json& description, const JsonPath& where);
  ~TextPattern();
  TextPattern(TextPattern&&) noexcept;
  TextPattern& operator=(TextPattern&&) noexcept;

  struct PatternMatch {
    std::size_t begin;
    std::size_t end;
  };

 private:
  friend class PatternSearch;
  std::optional<PatternMatch> find(std::string_view text, std::size_t position, std::uint64_t& looked) const;
  struct Expression;
  std::string literal_;
  std::unique_ptr<Expression> expression_;  ///< null: GPT-2's, or a literal string
};

/// The matches of a pattern in one text, from left to right; none is empty. Any number of threads may search
/// for one pattern.
class PatternSearch {
 public:
  /// Both must outlive it; `text` is valid UTF-8.
  PatternSearch(const TextPattern& pattern, std::string_view text) : pattern_(pattern), text_(text) {}
  /// Throws Error(invalid_input) where the expression takes more steps than a text of this length can need.
  std::optional<TextPattern::PatternMatch> next();

 private:
  const TextPattern& pattern_;
  std::string_view text_;
  std::size_t position_ = 0;
  std::uint64_t looked_ = 0;
};

}  // namespace markeval::token
