// Human-scored pairs as training sees them: distinct texts, pairs of them with a score, batches of pairs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "trained/network.hpp"
#include "trained/word_vectors.hpp"

namespace markeval::trained {

struct ScoredPair {
  std::size_t text = 0;       ///< place in TrainingData::texts
  std::size_t reference = 0;  ///< likewise
  double gold = 0;
  std::size_t group = 0;  ///< of validation pairs, for trainers that correlate group by group
};

struct TrainingData {
  std::vector<std::string> texts;  ///< without white space at the ends; distinct, but for those added apart
  std::vector<ScoredPair> train, valid;

  /// The place of a text, put there if it is new.
  std::size_t add_text(std::string text);
  /// The same for a text that has vectors of its own, however it reads.
  std::size_t add_apart(std::string text);

 private:
  std::unordered_map<std::string, std::size_t> places_;
};

/// The texts of some pairs, side by side.
struct PairTexts {
  PairTexts(const TrainingData& data, std::span<const ScoredPair> pairs);
  std::vector<std::string> references, texts;
};

/// The mean over the groups of the Pearson correlation of `predicted`, a number per pair, with the human
/// scores; -1 where it is defined in no group.
double mean_pearson(std::span<const double> predicted, std::span<const ScoredPair> pairs);

/// The rows of the texts of some pairs and then of their references: `count(text)` rows each, `row(text, i)`
/// is one.
template <typename Count, typename Row>
TextSpans gather_rows(std::span<const ScoredPair> pairs, std::span<const std::size_t> chosen,
                      const Count& count, const Row& row, std::vector<const Half*>& rows) {
  std::vector<std::size_t> lengths;
  const auto add = [&](std::size_t text) {
    lengths.push_back(count(text));
    for (std::size_t i = 0; i < lengths.back(); ++i) rows.push_back(row(text, i));
  };
  for (const std::size_t index : chosen) add(pairs[index].text);
  for (const std::size_t index : chosen) add(pairs[index].reference);
  return TextSpans(lengths);
}

/// The rows of some pairs, in order. Every text must have a word.
PairBatch make_batch(const WordVectors& vectors, std::span<const ScoredPair> pairs,
                     std::span<const std::size_t> chosen);

/// All pairs of an epoch in batches of `size`: shuffled, then pairs of about the same length together, then
/// the batches shuffled. The same for the same seed and epoch.
std::vector<std::vector<std::size_t>> epoch_batches(const WordVectors& vectors,
                                                    std::span<const ScoredPair> pairs, std::size_t size,
                                                    std::uint64_t seed, std::uint64_t epoch);

/// Pairs in this order, `size` a batch.
std::vector<std::vector<std::size_t>> cut_batches(std::span<const std::size_t> order, std::size_t size);

}  // namespace markeval::trained
