// What an Evaluator keeps between calls.
#pragma once

#include <atomic>
#include <condition_variable>
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

  /// Models are not for several threads at once: from its making, which waits, to its end one thread has
  /// them.
  class Turn {
   public:
    /// Throws Error(cancelled) once `*cancel` is true.
    Turn(State& state, const std::atomic<bool>* cancel);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    State& state_;
  };

  ThreadPool pool;
  std::unique_ptr<compute::Device> device;
  embed::EncoderStore encoders;
  TokenSources sources;
  // Not a timed_mutex: the thread sanitizer does not know its clock.
  std::mutex turn_mutex;
  std::condition_variable turn_ended;
  bool turn_taken = false;
};

}  // namespace markeval
