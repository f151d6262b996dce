// Blends in a run: their parts are scored with the other metrics, so texts are encoded once, and are then put
// together segment by segment.
#pragma once

#include <memory>
#include <vector>

#include "score/text_scoring.hpp"

namespace markeval::score {

/// score_texts(), for metrics among which there may be blends. Parts nobody asked for are not in the report.
/// Throws Error(usage) for a blend without its folder, Error(invalid_input) for a damaged one and for one
/// learned with other settings or another encoder.
std::shared_ptr<ScoreData> score_texts_and_blends(const ScoreContext& run);

/// The metrics that are scored on texts: blends give way to their parts.
std::vector<Metric> metrics_to_score(const std::vector<Metric>& metrics);

}  // namespace markeval::score
