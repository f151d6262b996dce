// The segments a pair metric thinks best and worst, picked while a run goes by: only what is among the best
// or the worst so far is explained, so a page costs little however long the corpus is.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "metric/pair_run.hpp"
#include "metric/registry.hpp"
#include "report/html_score.hpp"
#include "score/text_inputs.hpp"

namespace markeval::score {

class PairExampleKeeper {
 public:
  /// `inputs` must stay alive. Segments with an empty text are passed over: there is nothing to draw.
  PairExampleKeeper(const TextInputs& inputs, std::span<const Metric> requests);

  /// Is it among the best or the worst so far? segment from 0; scores: one per result of the metric.
  bool wants(std::size_t segment, std::size_t system, std::size_t request, std::span<const double> scores);
  /// Keeps it where it was wanted, against the reference that fits best.
  void offer(const metric::PairExplanation& explanation);

  /// By metric, then by system. A segment is either among the best or among the worst.
  std::vector<report::PairExamples> take();

 private:
  bool equals_reference(std::size_t segment, std::size_t system) const;
  struct KeptExample {
    double score = 0;  ///< higher is better
    std::size_t segment = 0;
    metric::PairExplanation explanation;
    bool explained = false;
  };
  struct List {
    std::string system, metric;
    std::size_t result = 0;  ///< the one segments are chosen by
    double sign = 1;         ///< -1 where lower is better
    std::vector<KeptExample> best, worst;
  };
  List& list(std::size_t system, std::size_t request) { return lists_[request * systems_ + system]; }

  const TextInputs& inputs_;
  std::size_t systems_;
  std::size_t kept_;  ///< examples of each kind
  std::vector<List> lists_;
  std::vector<std::string> results_;  ///< names, one per list
};

}  // namespace markeval::score
