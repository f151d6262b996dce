// How much a token says: inverse document frequencies over a set of texts, ln((texts + 1) / (texts with the
// token + 1)), as bert_score and MoverScore take them. A token no text has: ln(texts + 1). Special tokens are
// in every text: 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "embed/vector_source.hpp"
#include "metric/options.hpp"
#include "text/corpus.hpp"

namespace markeval::metric {

class IdfTable {
 public:
  IdfTable() = default;
  /// Weights somebody else made, by token id; every other token weighs `other`.
  IdfTable(std::span<const std::pair<std::int32_t, double>> weights, double other);

  /// Counted elsewhere: `texts_with[id]` of the texts have the token.
  IdfTable(std::vector<std::uint32_t> texts_with, std::size_t texts);

  /// Counts one text; a token counts once however often it stands there. Ids must not be negative.
  void add(std::span<const std::int32_t> ids);
  /// Counts every text of a file.
  void add_texts(embed::VectorSource& source, const text::Corpus& file, const RunContext& context);
  double weight(std::int32_t id) const;
  /// Number of texts that have each token, by id; for a table that was counted.
  std::span<const std::uint32_t> texts_with() const { return texts_with_; }
  /// Adds the counts of other texts.
  void merge(const IdfTable& other);
  bool given() const { return given_; }
  std::size_t texts() const { return texts_; }
  /// Whether every token counted stands in every text, as in a single one: all of them weigh 0.
  bool says_nothing() const;

 private:
  std::vector<std::uint32_t> texts_with_;  ///< per id
  std::size_t texts_ = 0;
  bool given_ = false;
  std::unordered_map<std::int32_t, double> weights_;
  double other_ = 0;
};

/// A corpus of one's own to count document frequencies in: `idf=FILE` of pair metrics.
struct IdfCorpus {
  std::string path;  ///< as the user wrote it; empty: there is none
  /// The file's name and eight digits of the sha256 of its texts: "news.txt@1f0c2a77".
  std::string signature;
  text::Corpus texts{};

  /// Reads FILE[:COLUMN], one text a line, where option `idf` names one rather than one of `words`. Throws
  /// Error(io) where there is no such file, Error(invalid_input) with file and line where it holds no text.
  static IdfCorpus load(const OptionValues& options, std::span<const std::string> words);
  bool empty() const { return path.empty(); }
};

}  // namespace markeval::metric
