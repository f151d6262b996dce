// The one thread pool. A loop over independent items: results may not depend on which thread runs which item,
// so every score is the same for any number of threads.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace markeval {

/// A borrowed callable: costs no allocation, must not outlive what it refers to.
template <typename Signature>
class FunctionRef;

template <typename Result, typename... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <typename Callable>
  requires(!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef>)
      FunctionRef(Callable&& callable)  // NOLINT(google-explicit-constructor)
      : object_(const_cast<void*>(static_cast<const void*>(&callable))),
        call_([](void* object, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<Callable>*>(object))(
              std::forward<Arguments>(arguments)...);
        }) {}
  Result operator()(Arguments... arguments) const {
    return call_(object_, std::forward<Arguments>(arguments)...);
  }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

/// How many cores this process may use: its affinity, and the CPU time its control group and those above it
/// give (rounded up). `root` stands before /proc and /sys, for tests.
std::size_t usable_cores(const std::string& root = {});

class ThreadPool {
 public:
  /// `threads` counts the caller, so 1 starts no thread; 0 means usable_cores(). Where the machine refuses a
  /// thread, there are fewer: size() tells.
  explicit ThreadPool(std::size_t threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t size() const;

  /// Calls `body(item, worker)` once for every item in [0, items), begun in order; `worker` < size() names
  /// the scratch space. The call returns when all are done. If items throw, the exception of the lowest one
  /// is thrown here and those not begun are dropped. Inside a body the loop runs on the calling thread alone.
  /// Loops of several threads take turns of some milliseconds, an item at least. Throws Error(cancelled)
  /// where the flag of this thread is set before an item, or while it waits for its turn.
  void for_each(std::size_t items, FunctionRef<void(std::size_t item, std::size_t worker)> body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace markeval
