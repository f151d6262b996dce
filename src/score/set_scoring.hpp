// Set metrics over a corpus, system after system, on rows of vectors or of texts: scores, intervals where
// asked for, what stands behind them, and what went wrong with which metric. One engine serves them all.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/run_report.hpp"
#include "request/score_request.hpp"
#include "score/html_report.hpp"
#include "score/listener.hpp"
#include "score/sample_set.hpp"

namespace markeval::score {

/// The rows that set metrics look at, wherever they come from.
struct SetCorpus {
  struct System {
    SampleSet set;
    report::RowLookup row;
  };

  SampleSet reference;
  report::RowLookup reference_row{};
  std::function<std::size_t(std::size_t row)> segment_of{};  ///< of a row of the reference
  std::size_t segments = 0;                                  ///< of the reference, those without rows too
  std::size_t files = 1;                                     ///< of the reference, which are one set
  std::vector<std::string> system_names{};
  std::vector<std::size_t> system_units{};  ///< how many texts or rows each system has
  /// Called once for each system, in order: rows of the one before may go.
  std::function<System(std::size_t system)> system{};
};

/// What a run gives set metrics besides their rows. All must outlive it.
struct SetScoringContext {
  const ScoreRequest& request;
  geometry::SetEngine& engine;  ///< has the rows
  PageBuilder& page;
  Listener& listener;
  const RunContext& context;
  std::vector<report::ExplainedSets>* explanations;  ///< or null
};

struct SetOutcome {
  std::vector<Result> results;               ///< by system, then by request; without scores where it failed
  std::vector<std::optional<Error>> errors;  ///< by request: a metric that fails for one system has failed
  std::vector<Ceiling> ceilings;             ///< by metric: systems and people at one size, where asked for
};

/// Also warns of sizes and scores that mislead. Throws Error(invalid_input) where a set has no rows.
SetOutcome score_set_corpus(const SetCorpus& corpus, std::span<const Metric> requests,
                            metric::SetSettings settings, const SetScoringContext& run);

}  // namespace markeval::score
