// One vector per word, read from a file: word2vec (text and binary), GloVe, fastText `.vec`, each also
// gzipped. As a source of vectors: one layer, no special tokens, unknown words left out and counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/matrix_view.hpp"
#include "embed/vector_source.hpp"
#include "text/corpus.hpp"

namespace markeval::embed {

class StaticVectors {
 public:
  StaticVectors() = default;
  StaticVectors(StaticVectors&&) = default;
  StaticVectors& operator=(StaticVectors&&) = default;

  /// Reads a whole file, or only the words of `wanted` where given: a file of millions of words then costs
  /// the memory of those that occur. The format is found by looking: two whole numbers in the first line make
  /// it word2vec or fastText (binary where the first vector is not readable as text), anything else GloVe. A
  /// word that comes again is ignored. Throws Error(io) or Error(invalid_input) with file and line, or word,
  /// where a vector is short, long or not finite, where there are fewer or more words than the first line
  /// promises, and where gzip data are not whole.
  static StaticVectors load(const std::string& path, const std::unordered_set<std::string>* wanted = nullptr);

  /// Eight digits of the SHA-256 of the whole file, unpacked.
  const std::string& digest() const { return digest_; }
  std::size_t words() const { return rows_.size(); }
  std::size_t width() const { return width_; }
  MatrixView<const float> vectors() const { return {values_.data(), words(), width_}; }

  /// The row of a word: as it is written, else in lower case.
  std::optional<std::int32_t> find(std::string_view word) const;
  /// The word of a row as the file writes it.
  std::string_view word(std::int32_t row) const { return *names_[static_cast<std::size_t>(row)]; }

 private:
  void add(std::string_view word, std::span<const float> values);
  std::unordered_map<std::string, std::int32_t> rows_;
  std::vector<const std::string*> names_;  ///< keys of rows_, whose nodes never move
  std::vector<float> values_;
  std::size_t width_ = 0;
  std::string digest_;
};

/// The words static vectors are looked up for: what stands between white space, with the ASCII punctuation at
/// its two ends cut off one by one.
///   "Well-known, \"isn't it?\"" -> Well-known | , | " | isn't | it | ? | "
std::vector<TextRange> split_words(std::string_view text);

/// The words of a text that have a vector; their ids are rows. Where a whole word is unknown, its parts
/// between inner punctuation are looked up ("well", "known"); parts unknown: the word is left out and counted
/// in `unknown`. Single punctuation characters are never counted.
TextTokens static_tokens(const StaticVectors& vectors, std::string_view text, std::size_t& unknown);

class WordVectorSource final : public VectorSource {
 public:
  /// Reads the file, of which only the words of these texts are kept. A text longer than `limit` words is cut
  /// there, and counted.
  WordVectorSource(const std::string& file, std::span<const text::Corpus> references,
                   std::span<const text::Corpus> systems, std::size_t limit);

  std::size_t last_layer() const override { return 0; }
  std::size_t width() const override { return vectors_.width(); }
  std::size_t limit() override { return limit_; }
  std::string model_name() const override { return name_; }
  std::vector<std::pair<std::string, std::string>> signature() override {
    return {{"embeddings", name_ + "@" + vectors_.digest()}, {"unknown", "skip"}};
  }
  std::vector<TokenIds> token_ids(std::span<const std::string_view> texts,
                                  const RunContext& context) override;
  EncodedTexts encode(std::span<const std::string_view> texts, const EncodeRequest& request,
                      const TokenNeed& need, const RunContext& context) override;

 private:
  TextTokens tokens(std::string_view text, TextCounts& counts) const;

  StaticVectors vectors_;
  std::string name_;
  std::size_t limit_;
};

}  // namespace markeval::embed
