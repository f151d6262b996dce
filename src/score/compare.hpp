// Which of several systems is better: scores with intervals, then paired tests of all systems, ranks.
#pragma once

#include <memory>
#include <optional>

#include "report/comparisons.hpp"
#include "report/html_score.hpp"
#include "request/compare_options.hpp"
#include "score/engine.hpp"

namespace markeval::score {

struct ComparisonData {
  report::ComparisonRun run;
  std::optional<report::ScorePage> page;  ///< where asked for
};

/// What compare() has scored: intervals and statistics too. Throws Error(usage) as compare() does.
ScoreRequest request_of_comparison(const ScoreRequest& request, const CompareOptions& options);

/// Throws as Evaluator::compare does.
std::shared_ptr<ComparisonData> compare(const ScoreRequest& request, const CompareOptions& options,
                                        const Caller& caller, const Measure& measure);

}  // namespace markeval::score
