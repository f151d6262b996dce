// A mutex for work that lasts seconds: hashing weights, loading a model, a loop of the thread pool. Who waits
// for it can be stopped, and does not wait for ever behind one who takes it again and again.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>

namespace markeval {

/// For std::lock_guard. A turn is given to the one who waits longest, once it has waited for a few
/// milliseconds; before that, whoever is awake may take it.
class Turns {
 public:
  /// Throws Error(cancelled) where the flag of this thread (base/cancellation.hpp) is set while it waits.
  void lock();
  void unlock() noexcept;
  bool is_awaited() const { return waiting_.load(std::memory_order_relaxed) > 0; }

 private:
  struct Waiter {
    std::chrono::steady_clock::time_point since{};
    bool has_turn = false;
  };
  void leave(const Waiter& waiter);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool taken_ = false;
  std::deque<Waiter*> queue_;
  std::atomic<std::size_t> waiting_{0};
};

}  // namespace markeval
