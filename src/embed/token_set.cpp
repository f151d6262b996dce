// Reading of stop words, and the test of each token against the rules.
#include "embed/token_set.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <iterator>
#include <set>

#include "base/digest.hpp"
#include "base/error.hpp"

namespace markeval::embed {

StopWords read_stop_words(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw_io(path, "read the stop words");
  StopWords words{std::istream_iterator<std::string>(in), {}};
  if (in.bad()) throw_io(path, "read the stop words");
  return words;
}

std::string digest_of(const StopWords& words) {
  const std::set<std::string> sorted(words.begin(), words.end());
  return sha256_of(fmt::format("{}", fmt::join(sorted, "\n"))).substr(0, 8);
}

std::string_view bare_piece(std::string_view piece) {
  for (const std::string_view mark : {"##", "\u0120", "\u2581"}) {
    if (piece.size() > mark.size() && piece.starts_with(mark)) return piece.substr(mark.size());
  }
  return piece;
}

bool is_punctuation(std::string_view bare) {
  if (bare.size() != 1) return false;
  const char c = bare.front();
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

std::vector<std::uint32_t> kept_tokens(std::span<const TokenFact> tokens, const TokenRules& rules) {
  std::vector<std::uint32_t> kept;
  for (std::size_t index = 0; index < tokens.size(); ++index) {
    const TokenFact& token = tokens[index];
    if (token.special) {
      if (rules.specials) kept.push_back(static_cast<std::uint32_t>(index));
      continue;
    }
    if (!token.starts_word && !rules.continuations) continue;
    const std::string_view bare = bare_piece(token.piece);
    if (!rules.punctuation && is_punctuation(bare)) continue;
    if (rules.stop_words != nullptr && rules.stop_words->contains(std::string(bare))) continue;
    kept.push_back(static_cast<std::uint32_t>(index));
  }
  return kept;
}

}  // namespace markeval::embed
