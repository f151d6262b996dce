#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace markeval {
namespace {

TEST(ThreadPool, RunsEveryItemOnce) {
  for (const std::size_t threads : {1u, 2u, 7u}) {
    ThreadPool pool(threads);
    std::vector<std::atomic<int>> runs(1000);
    pool.for_each(runs.size(), [&](std::size_t item, std::size_t worker) {
      EXPECT_LT(worker, pool.size());
      ++runs[item];
    });
    for (const auto& count : runs) EXPECT_EQ(count, 1);
  }
}

TEST(ThreadPool, ThrowsTheExceptionOfTheLowestItemAndStaysUsable) {
  ThreadPool pool(3);
  for (int repeat = 0; repeat < 50; ++repeat) {
    try {
      pool.for_each(100, [&](std::size_t item, std::size_t) {
        if (item == 0 || item == 60) throw std::runtime_error(std::to_string(item));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "0");
    }
  }
  std::atomic<int> sum = 0;
  pool.for_each(10, [&](std::size_t item, std::size_t) { sum += static_cast<int>(item); });
  EXPECT_EQ(sum, 45);
}

TEST(ThreadPool, RunsAnInnerLoopOnTheSameWorker) {
  ThreadPool pool(4);
  std::atomic<int> runs = 0;
  pool.for_each(16, [&](std::size_t, std::size_t outer) {
    const auto thread = std::this_thread::get_id();
    pool.for_each(16, [&](std::size_t, std::size_t inner) {
      EXPECT_EQ(inner, outer);
      EXPECT_EQ(std::this_thread::get_id(), thread);
      ++runs;
    });
  });
  EXPECT_EQ(runs, 256);
}

TEST(ThreadPool, ServesSeveralCallersAtOnce) {
  ThreadPool pool(2);
  std::atomic<int> runs = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 20; ++repeat) pool.for_each(50, [&](std::size_t, std::size_t) { ++runs; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(runs, 4 * 20 * 50);
}

}  // namespace
}  // namespace markeval
