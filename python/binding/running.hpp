// Long work without the interpreter lock: Ctrl-C stops it, and progress is told to a Python function.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>

#include "api/markeval.hpp"
#include "base/parallel.hpp"

namespace markeval::binding {

using Work = FunctionRef<void(Observer* observer, const std::atomic<bool>* cancel)>;

/// Lets other threads of Python go on. A thread that would come back to an interpreter at its end stays away.
class WithoutLock {
 public:
  WithoutLock();
  ~WithoutLock();
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;

 private:
  PyThreadState* state_;
};

/// For `atexit`: stops what other threads compute and waits for it.
void end_calls();

/// Runs `work` and comes back when it is done. The lock is released; other Python threads go on. On a signal
/// whose handler raises (Ctrl-C: KeyboardInterrupt) the work is cancelled and that exception thrown.
/// `progress(stage, done, total)` is called about five times a second, where it is not None.
/// `brief`: work of a millisecond or so, which is neither watched nor told about.
void run(Work work, nanobind::handle progress, bool brief);

}  // namespace markeval::binding
