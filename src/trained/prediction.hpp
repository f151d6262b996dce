// A network's scores of pairs, on the scale of the human scores it learned from.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/run_context.hpp"
#include "trained/network.hpp"
#include "trained/training_data.hpp"

namespace markeval::trained {

/// Human scores as the network sees them: (score - mean) / deviation of the training scores.
struct GoldScale {
  double mean = 0;
  double deviation = 1;
};

/// Where the words of texts come from, all layers of the encoder mixed as the network wants them.
class WordSource {
 public:
  virtual ~WordSource() = default;
  virtual std::size_t words(std::size_t text) const = 0;
  /// Writes all words of a text, a row each. Called by several threads at a time.
  virtual void mix(std::size_t text, MatrixView<float> mixed) const = 0;
};

/// Vectors that training keeps.
class VectorWords final : public WordSource {
 public:
  /// Vectors and network must outlive it.
  VectorWords(const WordVectors& vectors, const Network<float>& network, const Parameters<float>& values);
  std::size_t words(std::size_t text) const override { return vectors_.words(text); }
  void mix(std::size_t text, MatrixView<float> mixed) const override;

 private:
  const WordVectors& vectors_;
  const ScalarMix<float>& mix_;
  ScalarMix<float>::Mixture mixture_;
};

/// The states of a run, read where they stand; a text is known by its place among the distinct ones. The same
/// numbers as of vectors that were kept.
class StateWords final : public WordSource {
 public:
  /// The texts and products must outlive it. The texts must have what word_request() asks for.
  StateWords(const embed::EncodedTexts& texts, Pieces pieces, const Network<float>& network,
             const Parameters<float>& values, const compute::Products& products);
  std::size_t words(std::size_t text) const override { return kept_[text].size(); }
  void mix(std::size_t text, MatrixView<float> mixed) const override;

 private:
  const embed::EncodedTexts& texts_;
  std::vector<std::vector<std::uint32_t>> kept_;  ///< tokens, by text
  ScalarMix<float>::Mixture mixture_;
  const compute::Products& products_;
};

/// All pairs in order. A pair's score depends on its two texts alone.
std::vector<double> predict(Network<float>& network, const Parameters<float>& values, const GoldScale& scale,
                            const WordSource& source, std::span<const ScoredPair> pairs,
                            const compute::Products& products, const RunContext& context);

}  // namespace markeval::trained
