// How good is what was learned? Pearson on the validation pairs, of it and of metrics that need no training.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "api/markeval.hpp"
#include "api/training.hpp"
#include "trained/training_data.hpp"

namespace markeval {

/// The mean of the groups' Pearson correlations of `scores`, one per pair; -1 where none is defined.
double mean_pearson(std::span<const double> scores, std::span<const trained::ScoredPair> pairs);

/// What one has without training: chrf and bertscore on the validation pairs. None without such pairs.
std::vector<TrainReport::Known> known_metrics(const TrainRequest& request, const trained::TrainingData& data,
                                              Evaluator& evaluator, Observer* observer,
                                              const std::atomic<bool>* cancel);

}  // namespace markeval
