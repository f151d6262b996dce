// How good is what was learned? The validation pairs, scored by metrics that need no training.
#pragma once

#include <atomic>
#include <vector>

#include "api/markeval.hpp"
#include "api/training.hpp"
#include "trained/training_data.hpp"

namespace markeval {

/// What one has without training: chrf, bertscore and, where the program has a head for the encoder, match,
/// on the validation pairs. None without such pairs, and none where token vectors were given.
std::vector<TrainReport::Known> known_metrics(const TrainRequest& request, const trained::TrainingData& data,
                                              Evaluator& evaluator, Observer* observer,
                                              const std::atomic<bool>* cancel);

}  // namespace markeval
