// Training a metric on tables of human scores: what `markeval train` does.
#pragma once

#include "request/train_request.hpp"
#include "score/runtime.hpp"

namespace markeval::training {

/// Throws what markeval::train of api/training.hpp throws before it reads anything.
void check_request(const TrainRequest& request);
/// As markeval::train; the request was checked.
TrainReport train(const TrainRequest& request, const score::Caller& caller);

}  // namespace markeval::training
