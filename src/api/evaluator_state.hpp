// What an Evaluator keeps between calls.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "api/markeval.hpp"
#include "api/pair_scoring.hpp"
#include "base/parallel.hpp"
#include "compute/device.hpp"

namespace markeval {

struct Evaluator::State {
  explicit State(std::size_t threads)
      : pool(threads), device(compute::make_cpu_device(pool)), encoders(*device), sources(encoders) {}

  /// Models are not for several threads at once. Waiting for one's turn ends with Error(cancelled) once
  /// `*cancel` is true.
  std::unique_lock<std::timed_mutex> take_turn(const std::atomic<bool>* cancel);

  ThreadPool pool;
  std::unique_ptr<compute::Device> device;
  embed::EncoderStore encoders;
  TokenSources sources;
  std::timed_mutex turn;
};

}  // namespace markeval
