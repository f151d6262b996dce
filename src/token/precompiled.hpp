// SentencePiece's compiled character map ("precompiled_charsmap"): a double-array trie of byte strings and
// what each becomes. Read as Hugging Face `tokenizers` reads it, grapheme cluster by grapheme cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "token/normalizer.hpp"

namespace markeval::token {

class PrecompiledNormalizer : public Normalizer {
 public:
  /// `encoded` is the map in base64. Throws Error(invalid_input) where it is damaged.
  PrecompiledNormalizer(const std::string& encoded, const JsonPath& where);
  void apply(AlignedText& text, NormalizerScratch& scratch) const override;

 private:
  /// What the shortest known prefix of `chunk` becomes. (Shortest, and for the whole chunk: that is how ids
  /// come out in the models at large.)
  std::optional<std::string_view> find(std::string_view chunk) const;
  std::vector<std::uint32_t> units_;
  std::string replacements_;
  bool ascii_changes_[128] = {};
};

}  // namespace markeval::token
