#include "base/turns.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>

#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "support/temp_folder.hpp"

namespace markeval {
namespace {

TEST(Turns, WhoWaitsCanBeStopped) {
  Turns turns;
  const std::lock_guard held(turns);
  std::thread([&] {
    std::atomic<bool> cancel{true};
    const CancelScope stoppable(&cancel);
    EXPECT_ERROR(turns.lock(), ErrorCode::cancelled, "stopped on request");
  }).join();
  EXPECT_FALSE(turns.is_awaited());
}

TEST(Turns, WithoutAFlagOneWaitsForTheTurn) {
  Turns turns;
  int seen = 0, value = 0;
  turns.lock();
  std::thread other([&] {
    const std::lock_guard mine(turns);
    seen = value;
  });
  while (!turns.is_awaited()) std::this_thread::yield();
  value = 7;
  turns.unlock();
  other.join();
  EXPECT_EQ(seen, 7);
}

// One thread takes it again and again, and is never without it for long.
TEST(Turns, ComeToTheOneWhoWaits) {
  Turns turns;
  std::atomic<bool> had_it{false};
  turns.lock();
  std::thread other([&] {
    const std::lock_guard mine(turns);
    had_it = true;
  });
  while (!turns.is_awaited()) std::this_thread::yield();
  while (!had_it) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(3);
    while (std::chrono::steady_clock::now() < end) continue;
    turns.unlock();
    turns.lock();
  }
  turns.unlock();
  other.join();
}

TEST(Turns, AreKeptByOneAtATime) {
  Turns turns;
  int sum = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 2000; ++round) {
        const std::lock_guard mine(turns);
        ++sum;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum, 8000);
}

}  // namespace
}  // namespace markeval
