// How long a loop goes on after a stop, in CPU seconds of its own thread: a busy machine does not count.
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <thread>

#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "support/temp_folder.hpp"

namespace markeval {

/// CPU seconds used so far by the thread of `clock`.
inline double cpu_seconds(clockid_t clock) {
  timespec used{};
  clock_gettime(clock, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

/// Runs `work`, which lasts for long, sets the flag after `pause` and gives back how long it went on.
template <typename Work>
double cpu_seconds_after_stop(std::chrono::microseconds pause, const Work& work) {
  clockid_t own{};
  if (pthread_getcpuclockid(pthread_self(), &own) != 0) {
    ADD_FAILURE() << "no clock of this thread";
    return 0;
  }
  std::atomic<bool> cancel{false};
  double asked = 0, ended = 0;
  std::thread user([&] {
    std::this_thread::sleep_for(pause);
    asked = cpu_seconds(own);
    cancel = true;
  });
  {
    const CancelScope stoppable(&cancel);
    EXPECT_ERROR(work(), ErrorCode::cancelled, "stopped on request");
    ended = cpu_seconds(own);
  }
  user.join();
  return ended - asked;
}

}  // namespace markeval
