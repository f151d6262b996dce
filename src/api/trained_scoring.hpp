// Metrics learned from human scores, read from the folders `markeval train` made.
#pragma once

#include <span>
#include <vector>

#include "api/markeval.hpp"
#include "api/pair_scoring.hpp"
#include "base/run_context.hpp"
#include "metric/registry.hpp"
#include "metric/result.hpp"
#include "metric/score_pairs.hpp"

namespace markeval {

/// By system, then by metric. Throws Error(usage) where a request names no weights; Error(invalid_input)
/// where its folder is damaged, holds another kind of model, or was made for another encoder.
std::vector<metric::MetricResult> score_trained_texts(const ScoreRequest& request,
                                                      const metric::PairCorpus& corpus,
                                                      std::span<const metric::MetricRequest> requests,
                                                      TokenSources& sources, const RunContext& context);

}  // namespace markeval
