// Training a metric on one's own human scores (installed as <markeval/training.hpp>, to be used with
// <markeval/markeval.hpp>).
//
//   markeval::TrainRequest request{.train = {"judged.tsv"}, .valid = {"held_out.tsv"}, .reference = "ref",
//                                  .hypothesis = "hyp", .gold = "human", .folder = "mine"};
//   markeval::train(request, {});   // then score with metric "match:weights=mine"
#pragma once

#include <atomic>

#include "request/train_request.hpp"

namespace markeval {

struct Settings;  // in <markeval/markeval.hpp>
class Observer;

/// Throws Error(usage) for a wrong request and columns a table lacks, Error(invalid_input) for cells of the
/// wrong kind (with file and line) and damaged checkpoints. Once `*cancel` becomes true, writes a checkpoint
/// and ends with Error(cancelled). The folder is locked from beginning to end: Error(usage) where another
/// training, of this process or another one, is running in it.
TrainReport train(const TrainRequest& request, const Settings& settings, Observer* observer = nullptr,
                  const std::atomic<bool>* cancel = nullptr);

}  // namespace markeval
