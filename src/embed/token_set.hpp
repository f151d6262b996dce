// Which tokens of a text take part: first pieces of words, without punctuation and stop words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace markeval::embed {

/// Between the words of a file.
inline constexpr std::string_view kBlanks = " \t\r\n\f\v";

/// Words that are left out, compared with a token as the vocabulary writes it, without the mark of a word's
/// begin.
using StopWords = std::unordered_set<std::string>;
/// From a file: what stands between white space, in any number of lines. Throws Error(io) where it cannot.
StopWords read_stop_words(const std::string& path);
/// Eight digits that name these words in a signature, in whatever order and with whatever blanks a file has
/// them.
std::string digest_of(const StopWords& words);

/// What decides about a token.
struct TokenFact {
  std::string_view piece;   ///< as the vocabulary writes it: "ing" of "##ing", "Ġthe"
  bool special = false;     ///< put there by the tokenizer's template
  bool starts_word = true;  ///< the first piece of its word
};

struct TokenRules {
  bool specials = true;        ///< keep [CLS] and [SEP]
  bool continuations = false;  ///< keep the later pieces of a word
  bool punctuation = false;    ///< keep single punctuation characters
  const StopWords* stop_words = nullptr;
};

/// "Ġthe" -> "the", "▁the" -> "the", "##ing" -> "ing", "the" -> "the".
std::string_view bare_piece(std::string_view piece);

/// One ASCII punctuation character (Python's string.punctuation) and nothing else.
bool is_punctuation(std::string_view bare);

/// Positions of the tokens the rules keep, in order.
std::vector<std::uint32_t> kept_tokens(std::span<const TokenFact> tokens, const TokenRules& rules);

}  // namespace markeval::embed
