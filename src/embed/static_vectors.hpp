// One vector per word, read from a file: word2vec (text and binary), GloVe, fastText `.vec`, each also
// gzipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/matrix_view.hpp"

namespace markeval::embed {

class StaticVectors {
 public:
  StaticVectors() = default;
  StaticVectors(StaticVectors&&) = default;
  StaticVectors& operator=(StaticVectors&&) = default;
  StaticVectors(const StaticVectors&) = delete;
  StaticVectors& operator=(const StaticVectors&) = delete;

  /// Reads a whole file, or only the words of `wanted` where given: a file of millions of words then costs
  /// the memory of those that occur. The format is found by looking: two whole numbers in the first line make
  /// it word2vec or fastText (binary where the first vector is not readable as text), anything else GloVe. A
  /// word that comes again is ignored. Throws Error(io) or Error(invalid_input) with file and line, or word,
  /// where a vector is short, long or not finite, where there are fewer or more words than the first line
  /// promises, and where gzip data are not whole.
  static StaticVectors load(const std::string& path, const std::unordered_set<std::string>* wanted = nullptr);

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
};

/// A word and where it stands in the text, in bytes.
struct WordSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The words static vectors are looked up for: what stands between white space, with the ASCII punctuation at
/// its two ends cut off one by one.
///   "Well-known, \"isn't it?\"" -> Well-known | , | " | isn't | it | ? | "
std::vector<WordSpan> split_words(std::string_view text);

/// A to Z become a to z; other bytes stay.
std::string lower_case(std::string_view text);

/// The words of a text that have a vector: unknown words are left out and counted.
struct StaticTokens {
  std::vector<std::int32_t> rows;
  std::vector<WordSpan> spans;
  std::size_t unknown = 0;
};
/// Where a whole word is unknown, its parts between inner punctuation are looked up ("well", "known"); parts
/// unknown: the word counts as unknown. Single punctuation characters are left out unless `punctuation`, and
/// never counted.
StaticTokens static_tokens(const StaticVectors& vectors, std::string_view text, bool punctuation = false);

}  // namespace markeval::embed
