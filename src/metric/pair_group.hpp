// The pair metrics of a run that share one source of token vectors: which layers they read, and their idf
// tables.
#pragma once

#include <cstddef>
#include <vector>

#include "base/run_context.hpp"
#include "embed/idf.hpp"
#include "embed/token_source.hpp"
#include "metric/pair_block.hpp"
#include "metric/score_pairs.hpp"

namespace markeval::metric {

struct PairGroup {
  embed::TokenSource* source = nullptr;
  std::vector<std::size_t> requests;  ///< their numbers in the run
  std::vector<PairTask> tasks;        ///< one per request
  std::vector<std::size_t> layers;    ///< those any of them reads, ascending
  embed::IdfTable reference_idf;
  std::vector<embed::IdfTable> system_idf;

  /// `metric` must outlive the group.
  void add(std::size_t request, const PairMetric& metric);
  /// Warns once of what a metric has to say about its choice.
  void choose_layers(const RunContext& context);
  /// Fills the idf tables the metrics need, where they are not given. Tables that give every token the weight
  /// 0 are not used, with a warning, except by metrics with tables of their own for either side.
  void count_words(const PairCorpus& corpus, const PairSettings& settings, const RunContext& context);
};

}  // namespace markeval::metric
