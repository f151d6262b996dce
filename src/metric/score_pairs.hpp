// All pair metrics asked for, on all systems of a run. Segments are worked off in blocks, those that share
// texts together: the texts of a block are encoded once, however many metrics, systems and references share
// them, and dropped when the block is scored, so memory does not grow with the corpus.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/run_context.hpp"
#include "embed/token_source.hpp"
#include "metric/pair_metric.hpp"
#include "metric/registry.hpp"
#include "metric/result.hpp"

namespace markeval::metric {

struct PairSystem {
  std::string name;
  std::vector<std::string> lines;  ///< one per segment, without white space at the ends
};

struct PairCorpus {
  std::vector<std::vector<std::string>> references;  ///< per segment: at least one, their number may vary
  std::vector<PairSystem> systems;
};

/// How one segment came to its score, against the reference at hand.
struct PairExplanation {
  struct Row {
    std::size_t begin = 0;  ///< bytes of the text
    std::size_t end = 0;
    double weight = 0;
  };
  std::string metric;  ///< as the user wrote it
  std::string system;
  std::size_t segment = 0;    ///< from 1
  std::size_t reference = 0;  ///< from 1
  std::string candidate_text;
  std::string reference_text;
  std::vector<std::pair<std::string, double>> scores;  ///< against this reference alone
  std::vector<Row> candidate_rows;
  std::vector<Row> reference_rows;
  std::vector<PairLink> links;
};

struct PairSettings {
  bool segments = false;                  ///< keep the score of every segment
  std::string limit = "the model takes";  ///< longer texts are cut and counted; empty: somebody else tells
  std::size_t block_bytes = 64u << 20;    ///< of token vectors at a time
  /// For metrics with idf: weights to use instead of those the texts of the run would give. Metrics with one
  /// table for both sides take that of the references.
  const embed::IdfTable* reference_idf = nullptr;
  const embed::IdfTable* candidate_idf = nullptr;
  /// Called for every segment, system, metric and reference, in this order within a block, from one thread.
  /// Blocks then come in the order of the corpus.
  std::function<void(const PairExplanation&)> explain;
  /// Asked before, where given, with the scores of the segment (counted from 0): false leaves it out.
  std::function<bool(std::size_t segment, std::size_t system, std::size_t request, std::span<const double>)>
      worth_explaining;
};

/// Gives the source of token vectors for a metric: by PairMetric::embeddings(), empty for the encoder.
using SourceLookup = std::function<embed::TokenSource&(const std::string& embeddings)>;

/// One result per system and request, in this order. Scores of a segment depend on its texts (and the idf
/// tables) alone. Throws Error(invalid_input) where line counts differ or a segment has no reference.
std::vector<MetricResult> score_pairs(const PairCorpus& corpus, std::span<const MetricRequest> requests,
                                      const SourceLookup& source_of, const PairSettings& settings,
                                      const RunContext& context);

}  // namespace markeval::metric
