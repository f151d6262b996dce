// WordPiece: the longest piece that starts the word, then the longest that continues it, and so on. A word
// that cannot be covered, or is too long, is unknown as a whole.
#include <fmt/format.h>

#include "base/cancellation.hpp"
#include "base/quotation.hpp"
#include "text/utf8.hpp"
#include "token/json_fields.hpp"
#include "token/model.hpp"

namespace markeval::token {
namespace {

class WordPiece : public TokenModel {
 public:
  WordPiece(const json& component, const JsonPath& where)
      : vocabulary_(require_field(component, "vocab", where), where),
        prefix_(read_string(component, "continuing_subword_prefix", std::nullopt, where)),
        longest_word_(static_cast<std::size_t>(
            read_count(component, "max_input_chars_per_word", std::nullopt, where))) {
    const std::string unknown = read_string(component, "unk_token", std::nullopt, where);
    const auto unknown_id = vocabulary_.id(unknown);
    if (!unknown_id) where.fail(fmt::format("unk_token {} is not in the vocabulary", in_quotes(unknown)));
    unknown_id_ = *unknown_id;
    for (std::size_t id = 0; id < vocabulary_.id_limit(); ++id) {
      const std::string_view piece = vocabulary_.piece(static_cast<std::int32_t>(id));
      if (piece.size() > prefix_.size() && piece.starts_with(prefix_)) {
        continuations_.insert(piece.substr(prefix_.size()), *vocabulary_.id(piece));
      }
    }
  }

  void tokenize(std::string_view word, ModelScratch&, std::vector<Token>& out) const override {
    const std::size_t first = out.size();
    const bool too_long = word.size() > longest_word_ && text::count_characters(word) > longest_word_;
    std::size_t begin = 0;
    while (!too_long && begin < word.size()) {
      check_cancelled();
      const PieceTrie& trie = begin == 0 ? vocabulary_.trie() : continuations_;
      std::uint32_t node = PieceTrie::kRoot;
      std::int32_t best = PieceTrie::kNoValue;
      std::size_t best_end = begin;
      for (std::size_t end = begin; end < word.size();) {
        node = trie.child(node, word[end]);
        if (node == PieceTrie::kNowhere) break;
        ++end;
        if (trie.value(node) != PieceTrie::kNoValue) {
          best = trie.value(node);
          best_end = end;
        }
      }
      if (best == PieceTrie::kNoValue) break;
      out.push_back({best, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(best_end)});
      begin = best_end;
    }
    if (begin < word.size()) {
      out.resize(first);
      out.push_back({unknown_id_, 0, static_cast<std::uint32_t>(word.size())});
    }
  }

  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::optional<std::int32_t> unknown_id() const override { return unknown_id_; }
  std::string_view continuation_prefix() const override { return prefix_; }

 private:
  Vocabulary vocabulary_;
  PieceTrie continuations_;  // without their prefix
  std::string prefix_;
  std::size_t longest_word_;
  std::int32_t unknown_id_ = 0;
};

}  // namespace

std::unique_ptr<TokenModel> make_wordpiece(const json& component, const JsonPath& where) {
  return std::make_unique<WordPiece>(component, where);
}

}  // namespace markeval::token
