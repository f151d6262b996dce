// What is wanted of a text: the states of its tokens at some layers, pooled rows, or both. The users of a run
// (metrics, `embed`, training) each say what they need; their requests are joined, and every text is encoded
// once for all of them.
#pragma once

#include <cstddef>
#include <vector>

#include "compute/transformer.hpp"

namespace markeval::embed {

/// One row for the whole text.
struct SentenceRequest {
  std::size_t layer = 0;
  compute::Pooling pooling = compute::Pooling::mean;
  bool normalize = false;  ///< to length 1

  bool operator==(const SentenceRequest&) const = default;
};

struct EncodeRequest {
  /// Layers whose states are wanted for every token, rising; 0 is the embedding output, N that of block N.
  std::vector<std::size_t> layers;
  std::vector<SentenceRequest> sentences;
  /// Token states go through the cache. They are large, so only users who come back for them ask for it.
  bool keeps_states = false;

  bool operator==(const EncodeRequest&) const = default;
  /// Adds what another user wants.
  void join(const EncodeRequest& other);
  bool wants_tokens() const { return !layers.empty(); }
  /// Every layer the encoder must reach, rising.
  std::vector<std::size_t> all_layers() const;
  /// Where a layer or sentence stands in the lists above; it must be there.
  std::size_t place_of(std::size_t layer) const;
  std::size_t place_of(const SentenceRequest& sentence) const;
};

}  // namespace markeval::embed
