// Texts as `match` learns from them: the first layers of every token, each layer normalised to mean 0 and
// variance 1 over its columns, as float16; special tokens take part. And one vector per text: the mean of the
// last of these layers over all tokens.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/float16.hpp"
#include "base/parallel.hpp"
#include "embed/encoded_texts.hpp"
#include "trained/match_network.hpp"
#include "trained/training_data.hpp"
#include "vectors/vectors.hpp"

namespace markeval::trained {

/// (x - mean) / sqrt(variance + 1e-5), as layer normalisation without gain and offset.
void normalize_layer(std::span<const float> state, std::span<float> out);

/// The mean of the rows, divided by its length; all zeros where it has none.
std::vector<float> pooled_direction(MatrixView<const float> states);
double pooled_cosine(std::span<const float> a, std::span<const float> b);

/// The states of a list of texts that grows.
class MatchTexts {
 public:
  /// `folder`: the states lie in a file there that goes away with the object; empty: in memory.
  MatchTexts(std::size_t layers, std::size_t width, const std::string& folder = {});

  /// All distinct texts of a block, in order. The block must have what word_request() asks for.
  void add(const embed::EncodedTexts& texts, ThreadPool& pool);

  std::size_t texts() const { return starts_.size() - 1; }
  /// Without the special ones: 0 for an empty text.
  std::size_t words(std::size_t text) const { return words_[text]; }
  std::size_t tokens(std::size_t text) const { return starts_[text + 1] - starts_[text]; }
  const Half* token(std::size_t text, std::size_t index) const {
    return states_.view().row(starts_[text] + index).data();
  }
  std::span<const float> pooled(std::size_t text) const { return pooled_[text]; }

 private:
  std::size_t layers_, width_;
  vectors::RowStore<Half> states_;
  std::vector<std::size_t> starts_{0};  ///< in tokens
  std::vector<std::size_t> words_;
  std::vector<std::vector<float>> pooled_;
};

/// The rows of some pairs, in order. Every text must have a word.
MatchBatch make_match_batch(const MatchTexts& texts, std::span<const ScoredPair> pairs,
                            std::span<const std::size_t> chosen);

}  // namespace markeval::trained
