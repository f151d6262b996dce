// Correlations of a CorrelateRequest that gives better/worse pairs in place of human scores. Used by
// correlate.cpp.
#pragma once

#include "base/run_context.hpp"
#include "report/correlations.hpp"
#include "request/correlate_request.hpp"
#include "score/table_scores.hpp"

namespace markeval::score {

inline bool gives_pairs(const CorrelateRequest& request) {
  return !request.pairs.empty() || !request.better.empty() || !request.worse.empty();
}

/// Throws Error(usage) for what pairs do not go with: human scores, other coefficients, a page, ...
void check_pairs(const CorrelateRequest& request);

/// Rows, tests and coefficients of the run; signatures and warnings are the caller's. Throws
/// Error(invalid_input) with file and row for a pair whose texts are not in the table.
report::CorrelationRun correlate_given_pairs(const CorrelateRequest& request, TableScores& scores,
                                             std::size_t intervals, const RunContext& context);

}  // namespace markeval::score
