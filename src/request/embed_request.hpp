// Texts -> vectors: what is asked and what comes back. Installed as a part of <markeval/embedding.hpp>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/encoder_options.hpp"
#include "base/text_counts.hpp"

namespace markeval {

struct EmbedRequest {
  std::string input;         ///< FILE[:COLUMN]; "-" = standard input
  std::string output;        ///< a .npy file, written whole or not at all
  std::optional<int> layer;  ///< 0: the embedding output, N: block N, -1: the last; none: all of them
  std::string pool;          ///< mean, cls, max, none (a row per token); empty: as the model does it
  bool normalize = false;    ///< rows to length 1 (an empty `pool` does as the model does)
  EncoderOptions encoder{};
  bool replace_invalid = false;  ///< put U+FFFD for invalid UTF-8 instead of an error
};

struct EmbedReport {
  std::uint64_t segments = 0, rows = 0;
  TextCounts counts{};         ///< texts, those that were cut, unknown tokens
  std::uint64_t empty = 0;     ///< texts of white space only; they get a vector all the same
  std::uint64_t replaced = 0;  ///< characters put in for invalid UTF-8
  std::uint64_t hits = 0, misses = 0;
  std::string signature;  ///< "embed|model:...|layer:last|pool:mean|..."
};

/// In memory: what embed_texts would write.
struct TextVectors {
  std::vector<float> values{};  ///< rows x layers x columns
  std::size_t rows = 0;
  std::size_t layers = 1;
  std::size_t columns = 0;
  /// With `pool` none a row is a token: text i has rows [starts[i], starts[i + 1]), and `ids` names them.
  std::vector<std::size_t> starts{};
  std::vector<std::int32_t> ids{};
  EmbedReport report{};
};

}  // namespace markeval
