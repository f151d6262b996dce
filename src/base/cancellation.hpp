// The flag that stops the work of a thread, for loops that no RunContext reaches: hashing, reading files,
// cutting texts. Whoever begins a run sets it, and the threads of a pool work under the flag of their caller.
#pragma once

#include <atomic>

namespace markeval {

/// From its making to its end the calling thread stops where `*flag` becomes true. Null: the flag there was
/// stays.
class CancelScope {
 public:
  explicit CancelScope(const std::atomic<bool>* flag);
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

 private:
  const std::atomic<bool>* outer_;
};

/// The flag of this thread; null where it has none.
const std::atomic<bool>* cancel_flag();

/// Throws Error(cancelled) once the flag of this thread is set. Costs about a nanosecond.
void check_cancelled();

}  // namespace markeval
