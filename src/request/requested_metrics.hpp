// The metrics of a request, checked before any file is touched.
#pragma once

#include <vector>

#include "metric/registry.hpp"
#include "request/input_kind.hpp"
#include "request/score_request.hpp"

namespace markeval::request {

/// Throws Error(invalid_input) where these are too many (Limit::metrics).
void require_few_metrics(std::size_t metrics);

/// Throws Error(usage) for metrics asked for twice, and for a `compat`, `explain`,
/// `resamples` or `segments` that none of them can answer.
std::vector<Metric> requested_metrics(const ScoreRequest& request);

/// Throws Error(usage) for options of set metrics that make no sense for this kind of input.
void check_set_options(const std::vector<Metric>& metrics, InputKind kind, const ScoreRequest& request);

/// Removes the other results of a metric that was asked for by one result ("bertscore.f1").
void drop_unwanted(const std::vector<Metric>& metrics, std::vector<Result>& results);

/// Throws Error(invalid_input) where the resamples of `groups` groups, 0: of the whole alone, are more
/// numbers than may be kept.
void require_resampling_budget(const std::vector<Metric>& metrics, const ScoreRequest& request,
                               std::size_t groups);

}  // namespace markeval::request
