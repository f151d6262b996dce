// The flag that stops the work of a thread. Whoever begins a run sets it. The threads of a pool work under
// the flag of their caller, and every loop of a pool looks at it before each item.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

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

/// For the writing of what was done before a stop: where the flag of this thread is set already, the thread
/// gets 300 milliseconds more from the making of this to its end. Else its flag stays.
class FinishScope {
 public:
  FinishScope();
  ~FinishScope();
  FinishScope(const FinishScope&) = delete;
  FinishScope& operator=(const FinishScope&) = delete;

 private:
  struct LateFlag;
  std::unique_ptr<LateFlag> late_;
  std::optional<CancelScope> scope_;
};

/// The flag of this thread; null where it has none.
const std::atomic<bool>* cancel_flag();

/// Throws Error(cancelled) once the flag of this thread is set. Costs about a nanosecond.
void check_cancelled();

}  // namespace markeval
