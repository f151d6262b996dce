// How well metrics agree with people: coefficients, intervals and tests of a table of scores.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "report/correlations.hpp"
#include "report/html_correlation.hpp"
#include "request/correlate_request.hpp"
#include "score/engine.hpp"

namespace markeval::score {

struct CorrelationData {
  std::vector<report::CorrelationRun> runs;     ///< one for each column of human scores
  std::optional<report::CorrelationPage> page;  ///< where asked for
};

/// Throws Error(usage) for unknown names, before any file is touched.
void check_correlation(const CorrelateRequest& request);

/// Throws as markeval::correlate does.
std::shared_ptr<CorrelationData> correlate(const CorrelateRequest& request, const Caller& caller,
                                           const Measure& measure);

}  // namespace markeval::score
