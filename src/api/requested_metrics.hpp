// The metrics of a request, understood and checked before any file is touched.
#pragma once

#include <vector>

#include "api/input_kind.hpp"
#include "api/markeval.hpp"
#include "metric/registry.hpp"

namespace markeval {

/// Throws Error(usage) for unknown names and options, metrics asked for twice, and for a `compat`, `explain`,
/// `resamples` or `segments` that none of them can answer.
std::vector<metric::MetricRequest> requested_metrics(const ScoreRequest& request);

/// Throws Error(usage) for options of set metrics that make no sense for this kind of input.
void check_set_options(const std::vector<metric::MetricRequest>& metrics, InputKind kind,
                       const ScoreRequest& request);

/// Of metrics asked for by one result ("bertscore.f1") the others go.
void drop_unwanted(const std::vector<metric::MetricRequest>& metrics, std::vector<Result>& results);

/// How many scores of a system a metric gives: those asked for.
std::size_t result_count(const metric::MetricRequest& metric);

/// Throws Error(invalid_input) where the resamples of `groups` groups, 0: of the whole alone, are more
/// numbers than may be kept.
void require_resampling_budget(const std::vector<metric::MetricRequest>& metrics, const ScoreRequest& request,
                               std::size_t groups);

/// Whether a score belongs to every segment, so that line i of one file is held against line i of the others.
bool scores_segments(const metric::MetricRequest& metric);

}  // namespace markeval
