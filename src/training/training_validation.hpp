// How good is what was learned? The validation pairs, scored by it and by metrics that need no training.
#pragma once

#include "request/train_request.hpp"
#include "score/runtime.hpp"
#include "trained/training_data.hpp"

namespace markeval::training {

/// Fills in `known` and `interval` of the report of a training whose folder is written: chrf, bertscore and,
/// where the program has a head for the encoder, match. Nothing without validation pairs, and nothing where
/// token vectors were given.
void compare_with_known(const TrainRequest& request, const trained::TrainingData& data,
                        const score::Caller& caller, TrainReport& report);

}  // namespace markeval::training
