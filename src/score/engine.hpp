// The engine: what `score` and `baseline` do for a request. Comparisons (score/compare.hpp), correlations
// (score/correlate.hpp) and training stand on it.
#pragma once

#include <memory>
#include <string>

#include "score/runtime.hpp"
#include "score/text_scoring.hpp"

namespace markeval::score {

/// Throws as Evaluator::score does. `measure`: how the numbers of texts are found.
std::shared_ptr<ScoreData> score_request(const ScoreRequest& request, const Caller& caller,
                                         const Measure& measure = measure_all_texts);

/// A baseline file: LAYER,P,R,F and the mean of random pairs of different lines for every layer.
std::string make_baseline(const BaselineRequest& request, const Caller& caller);

}  // namespace markeval::score
