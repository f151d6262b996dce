// Why coefficients have no value: all human scores of a group, or all scores of a metric, are the same.
#pragma once

#include <string>

#include "base/run_context.hpp"
#include "meta/score_table.hpp"
#include "report/correlations.hpp"

namespace markeval::score {

/// A warning for each cause, however many metrics and coefficients it costs a value: "consistency: in 2 of 50
/// groups all rows have the same human score; they are left out of the means". `told`: a coefficient of which
/// it is known already why it has no value, else empty. `with` is said behind a metric where people judged
/// several things: " with relevance".
void warn_of_undefined(const report::CorrelationRun& run, const meta::ScoreTable& table,
                       const std::string& told, const std::string& with, const RunContext& context);

}  // namespace markeval::score
