// Training a metric on tables of human scores: what `markeval train` does.
#pragma once

#include <atomic>

#include "request/observer.hpp"
#include "request/score_request.hpp"
#include "request/train_request.hpp"

namespace markeval::training {

/// As markeval::train of api/training.hpp.
TrainReport train(const TrainRequest& request, const Settings& settings, Observer* observer,
                  const std::atomic<bool>* cancel);

}  // namespace markeval::training
