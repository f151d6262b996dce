// Set metrics over a corpus, system after system, on rows of vectors or of texts: scores, intervals where
// asked for, and what went wrong with which metric.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/beside_people.hpp"
#include "api/listener.hpp"
#include "api/markeval.hpp"
#include "metric/score_sets.hpp"

namespace markeval {

class SetScoring {
 public:
  /// `reference` must outlive it. `system_units`: how many texts or rows each system has.
  SetScoring(const metric::SampleSet& reference, std::span<const metric::MetricRequest> requests,
             metric::SetSettings settings, const ScoreRequest& request,
             std::span<const std::size_t> system_units, compute::Device& device, Listener& listener, const RunContext& context);

  /// Of the next system. One result per request, without scores where the metric has failed by now.
  metric::SetScores score(const std::string& name, const metric::SampleSet& system);
  /// After the last system: warns of sizes and scores that mislead. `files`: of references, which are one
  /// set. Returns systems and people at one size, by metric, where asked for and possible.
  std::vector<Ceiling> finish(std::size_t files);
  /// By request. A metric that fails for one system has failed.
  const std::vector<std::optional<Error>>& errors() const { return errors_; }

 private:
  metric::SetScores score_some(std::span<const std::size_t> places, const metric::SampleSet& system);
  void add_intervals(std::span<const metric::MetricRequest> requests, const metric::SampleSet& system,
                     std::size_t drawn, std::span<Result> results);
  /// Where systems differ in size: as the option n with the smallest does, unless another n was given.
  void draw_to_one_size(std::span<const std::size_t> system_units);

  const metric::SampleSet& reference_;
  std::vector<metric::MetricRequest> requests_;
  metric::SetSettings settings_;
  const ScoreRequest& request_;
  std::size_t systems_, scored_ = 0, drawn_to_ = 0;
  compute::Device& device_;
  Listener& listener_;
  const RunContext& context_;
  std::vector<BesidePeople> people_;  ///< where asked for and possible
  geometry::KnownNeighbours known_;  ///< of the reference, which all systems meet
  std::vector<std::optional<Error>> errors_;
  std::vector<std::pair<std::string, std::size_t>> sizes_;  ///< of the systems
  std::vector<std::vector<double>> shown_scores_;           ///< by request, then by system
};

}  // namespace markeval
