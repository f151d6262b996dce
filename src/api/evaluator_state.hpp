// What an Evaluator keeps between calls.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "api/markeval.hpp"
#include "base/parallel.hpp"
#include "cache/vector_cache.hpp"
#include "compute/device.hpp"
#include "embed/model_pool.hpp"

namespace markeval {

struct Evaluator::State {
  explicit State(const Settings& settings)
      : pool(settings.threads),
        device(compute::make_device(settings.device, pool)),
        models(*device, settings.max_model_bytes) {}

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

  /// Whether calls need not wait for their turn: what they need of the models is there already.
  void share_turn(bool shared);

  ThreadPool pool;
  std::unique_ptr<compute::Device> device;
  embed::ModelPool models;
  // Not a timed_mutex: the thread sanitizer does not know its clock.
  std::mutex turn_mutex;
  std::condition_variable turn_ended;
  bool turn_taken = false;
  bool turn_shared = false;
};

/// The cache a request names.
cache::VectorCache open_cache(const EncoderOptions& options, LogSink* log);

}  // namespace markeval
