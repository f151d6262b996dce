// Lines -> token ids, equal to those of Hugging Face `tokenizers`. Used by the encoder's callers, `markeval
// embed` and the metrics that work on words.
//
//   const Tokenizer tokenizer = Tokenizer::load("models/all-MiniLM-L6-v2");
//   TokenizerScratch scratch;   // one per thread
//   PackedBatch batch;
//   tokenizer.append(text::strip(line), limit, scratch, batch);
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/folder_files.hpp"
#include "base/text_counts.hpp"
#include "token/aligned_text.hpp"
#include "token/packed_batch.hpp"

namespace markeval::token {

inline constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

/// One text with everything known about its tokens; all lists have the length of `ids`.
struct Encoding {
  std::vector<std::int32_t> ids;
  std::vector<SourceRange> offsets;   ///< bytes of the original text; {0, 0} for special tokens
  std::vector<std::int32_t> words;    ///< number of the word a token belongs to; -1 for special tokens
  std::vector<std::uint8_t> special;  ///< 1: put there by the template, not found in the text
  TextCounts counts;

  /// The first token of a word: not special, and not a continuation of the word before it.
  bool starts_word(std::size_t token) const {
    return special[token] == 0 && (token == 0 || words[token] != words[token - 1]);
  }
};

class TokenizerScratch {
 public:
  TokenizerScratch();
  ~TokenizerScratch();
  TokenizerScratch(TokenizerScratch&&) noexcept;
  TokenizerScratch& operator=(TokenizerScratch&&) noexcept;

 private:
  friend class Tokenizer;
  struct State;
  std::unique_ptr<State> state_;
};

/// Never changes once made; any number of threads may use one, each with its own scratch.
class Tokenizer {
 public:
  /// From a model folder: tokenizer.json, or else vocab.txt (BERT), or else vocab.json and merges.txt
  /// (RoBERTa, GPT-2). Throws Error with the file and what is wrong in it; an unknown component is named.
  static Tokenizer load(const std::string& folder);
  /// The same from files that have been read: kTokenizerFiles of token/tokenizer_files.hpp.
  static Tokenizer load(const FolderFiles& files);
  /// From the text of a tokenizer.json; `name` stands for it in messages.
  static Tokenizer from_json(std::string_view content, const std::string& name);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  /// Appends the ids of `text` (valid UTF-8) to the batch as one sequence, special tokens included, at most
  /// `limit`. Throws Error(usage) when the limit leaves no room beside the special tokens.
  TextCounts append(std::string_view text, std::size_t limit, TokenizerScratch& scratch,
                    PackedBatch& batch) const;
  /// The same with offsets, words and the special mask.
  void encode(std::string_view text, std::size_t limit, TokenizerScratch& scratch, Encoding& out) const;

  /// One more than the largest id that can come out: must not exceed the rows of the model's embedding.
  std::size_t id_limit() const;
  std::optional<std::int32_t> id(std::string_view piece) const;
  /// The piece of that id as the vocabulary writes it; empty where there is none.
  std::string_view piece(std::int32_t id) const;
  std::optional<std::int32_t> unknown_id() const;
  /// Special tokens the template puts around one text.
  std::size_t special_count() const;
  /// Whether the piece continues a word by its spelling ("##ing").
  bool continues_word(std::int32_t id) const;

 private:
  struct Parts;
  explicit Tokenizer(std::unique_ptr<const Parts> parts);
  void tokenize(std::string_view text, bool tracked, TokenizerScratch& scratch) const;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace markeval::token
