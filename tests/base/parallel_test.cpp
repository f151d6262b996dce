#include "base/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/sanitized.hpp"
#include "support/temp_folder.hpp"

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

// Threads that are awake, asleep or late for a loop that is over; callers that wait long enough to sleep.
TEST(ThreadPool, RunsShortAndLongLoopsByTurns) {
  ThreadPool pool(9);
  for (std::size_t repeat = 0; repeat < 3000; ++repeat) {
    const std::size_t items = 1 + repeat % 12;
    std::vector<std::atomic<int>> runs(items);
    pool.for_each(items, [&](std::size_t item, std::size_t worker) {
      EXPECT_LT(worker, pool.size());
      if (repeat % 100 == 99) std::this_thread::sleep_for(std::chrono::microseconds(item == 0 ? 10 : 300));
      ++runs[item];
    });
    for (const auto& count : runs) ASSERT_EQ(count, 1) << "loop " << repeat;
  }
}

TEST(ThreadPool, ServesSeveralCallersAtOnce) {
  ThreadPool pool(2);
  std::atomic<int> runs = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 20; ++repeat)
        pool.for_each(50, [&](std::size_t, std::size_t) { ++runs; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(runs, 4 * 20 * 50);
}

// A loop of another caller that lasts: its body is held until the test lets it go.
TEST(ThreadPool, WhoWaitsForALoopCanBeStopped) {
  ThreadPool pool(2);
  std::atomic<bool> inside{false}, let_go{false};
  std::thread other([&] {
    pool.for_each(1, [&](std::size_t, std::size_t) {
      inside = true;
      while (!let_go) std::this_thread::yield();
    });
  });
  while (!inside) std::this_thread::yield();
  {
    std::atomic<bool> cancel{true};
    const CancelScope stoppable(&cancel);
    EXPECT_ERROR(pool.for_each(1, [](std::size_t, std::size_t) {}), ErrorCode::cancelled,
                 "stopped on request");
  }
  let_go = true;
  other.join();
}

// The long loop has items until the short one was there.
TEST(ThreadPool, ALongLoopLetsAShortOneGoFirst) {
  ThreadPool pool(2);
  std::atomic<bool> inside{false}, short_one_done{false};
  std::atomic<std::size_t> items{0};
  constexpr std::size_t kMost = 100'000;
  std::thread other([&] {
    pool.for_each(kMost, [&](std::size_t, std::size_t) {
      inside = true;
      ++items;
      if (short_one_done) return;
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
      while (std::chrono::steady_clock::now() < end) continue;
    });
  });
  while (!inside) std::this_thread::yield();
  pool.for_each(10, [](std::size_t, std::size_t) {});
  EXPECT_LT(items, kMost);
  short_one_done = true;
  other.join();
  EXPECT_EQ(items, kMost);
}

TEST(UsableCores, AreThoseOfTheControlGroupWhereItGivesFewer) {
  const TempFolder root;
  const auto write = [&](const std::string& path, const std::string& content) {
    std::filesystem::create_directories(std::filesystem::path(root.file(path)).parent_path());
    root.write(path, content);
  };
  const std::size_t all = usable_cores(root.path());
  EXPECT_GE(all, 1u);
  write("proc/self/cgroup", "0::/jobs/mine\n");
  write("sys/fs/cgroup/jobs/mine/cpu.max", "max 100000\n");
  EXPECT_EQ(usable_cores(root.path()), all);
  write("sys/fs/cgroup/jobs/cpu.max", "50000 100000\n");  // the group above
  EXPECT_EQ(usable_cores(root.path()), 1u);
  write("sys/fs/cgroup/jobs/cpu.max", "150000 100000\n");
  EXPECT_EQ(usable_cores(root.path()), std::min<std::size_t>(all, 2));
  write("sys/fs/cgroup/jobs/cpu.max", "nonsense");
  EXPECT_EQ(usable_cores(root.path()), all);
  write("proc/self/cgroup", "5:cpuset:/x\n4:cpu,cpuacct:/old\n");  // version 1
  write("sys/fs/cgroup/cpu/old/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/old/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(usable_cores(root.path()), all);
  write("sys/fs/cgroup/cpu/old/cpu.cfs_quota_us", "100000\n");
  EXPECT_EQ(usable_cores(root.path()), 1u);
}

// A limit on memory or processes that leaves no room for more threads: the pool goes on with fewer.
TEST(ThreadPool, GoesOnWithFewerThreadsWhereTheMachineRefusesMore) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs more address space than this test leaves";
  const pid_t child = fork();
  if (child == 0) {
    const rlimit room{1u << 29, 1u << 29};
    setrlimit(RLIMIT_AS, &room);
    ThreadPool pool(2000);
    std::atomic<int> sum = 0;
    pool.for_each(10, [&](std::size_t item, std::size_t) { sum += static_cast<int>(item); });
    _exit(pool.size() >= 1 && pool.size() < 2000 && sum == 45 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace markeval
