// A corpus of one's own to count document frequencies in: `idf=FILE` of pair metrics.
#pragma once

#include <string>

#include "metric/options.hpp"
#include "text/corpus.hpp"

namespace markeval::metric {

struct IdfCorpus {
  std::string path;  ///< as the user wrote it; empty: there is none
  std::string
      signature;  ///< the file's name and eight digits of the sha256 of its texts: "news.txt@1f0c2a77"
  text::Corpus texts{};

  /// Reads FILE[:COLUMN], one text a line, where option `idf` names one rather than one of `words`. Throws
  /// Error(io) where there is no such file, Error(invalid_input) with file and line where it holds no text.
  static IdfCorpus load(const OptionValues& options, std::span<const std::string> words);
  bool empty() const { return path.empty(); }
};

}  // namespace markeval::metric
