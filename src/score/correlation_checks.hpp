// What is wrong with a table of scores before it is correlated, and what was left out after. Used by
// correlate.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/run_context.hpp"
#include "meta/score_table.hpp"
#include "report/correlations.hpp"
#include "request/correlate_request.hpp"

namespace markeval::score {

/// Groups of fewer complete rows than a coefficient needs: an error, or left out where the user said so.
/// `gold`: the column of human scores.
meta::ScoreTable check_groups(meta::ScoreTable table, const CorrelateRequest& request,
                              const std::string& gold, LogSink& log);

/// `what` a row of numbers counts: rows, pairs. `with`: " with relevance" where people judged several things.
void warn_of_missing(const std::vector<meta::CorrelationRow>& rows, std::string_view what,
                     const std::string& with, const RunContext& context);

/// Missing rows, groups without a value and values that are not defined.
void warn_of_gaps(const report::CorrelationRun& run, const meta::ScoreTable& table, double threshold,
                  const std::string& with, const RunContext& context);

}  // namespace markeval::score
