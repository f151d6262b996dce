// The one door to a model's encoder, for any number of threads. What they want is worked off batch by batch,
// in turns; a batch that is not full takes up the next batches of others who wait for the same layers. So
// many small requests cost as much as one large one, and a small one does not wait behind a corpus. A text's
// vectors depend on that text alone: nobody's numbers change by it.
#pragma once

#include <condition_variable>
#include <exception>
#include <list>
#include <mutex>

#include "base/run_context.hpp"
#include "embed/encode_task.hpp"

namespace markeval::embed {

class EncodeQueue {
 public:
  /// Returns when `task` is done. Throws Error(cancelled) once the context says so, TextError where a row
  /// holds NaN or infinity, and what the encoder throws; tasks of others go on. `encoder` is the same in
  /// every call.
  void run(encoder::Encoder& encoder, EncodeTask& task, const RunContext& context);

 private:
  struct Waiting {
    EncodeTask& task;
    bool in_batch = false;
    std::exception_ptr failure{};

    bool is_done() const { return failure != nullptr || (task.is_started() && !in_batch); }
  };
  void run_next_batch(encoder::Encoder& encoder, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Waiting> waiting_;  ///< the next one first
  bool is_running_ = false;     ///< somebody runs a batch
};

}  // namespace markeval::embed
