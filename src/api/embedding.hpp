// Texts -> vectors, in memory (Evaluator::embed) or in a .npy file, and texts -> token ids. Installed as
// <markeval/embedding.hpp>, to be used with <markeval/markeval.hpp>.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/encoder_options.hpp"
#include "base/text_counts.hpp"

namespace markeval {

class Observer;  // of <markeval/markeval.hpp>

struct EmbedRequest {
  std::string input;         ///< FILE[:COLUMN]; "-" = standard input
  std::string output;        ///< a .npy file, written whole or not at all
  std::optional<int> layer;  ///< 0: the embedding output, N: block N, -1: the last; none: all of them
  std::string pool;          ///< mean, cls, max, none (a row per token); empty: as the model does it
  bool normalize = false;    ///< rows to length 1 (an empty `pool` does as the model does)
  EncoderOptions encoder{};
  bool replace_invalid = false;  ///< put U+FFFD for invalid UTF-8 instead of an error
  std::size_t threads = 0;
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

/// Memory does not grow with the input. With `pool` none also writes a table beside it, OUT.tokens.tsv for
/// OUT.npy: row, segment, token id, piece, kind; and OUT.source.txt, a line that names model and settings.
/// Layer none gives an array of three dimensions: rows, layers,
/// width.
EmbedReport embed_texts(const EmbedRequest& request, Observer* observer = nullptr,
                        const std::atomic<bool>* cancel = nullptr);

/// What `pool` none writes beside an output: "runs/a.npy" -> "runs/a.tokens.tsv", "runs/a.source.txt".
std::vector<std::string> paths_beside_tokens(const std::string& output);

/// The token ids of every text, specials included, in order. Needs a tokenizer but no weights.
EmbedReport tokenize_texts(const EmbedRequest& request,
                           const std::function<void(std::span<const std::int32_t>)>& sink,
                           Observer* observer = nullptr, const std::atomic<bool>* cancel = nullptr);

}  // namespace markeval
