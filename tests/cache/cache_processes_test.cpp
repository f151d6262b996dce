// Several processes on one cache, some of them killed. MARKEVAL_SOAK_SECONDS makes the killing last longer
// (scripts/soak-cache.sh).
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <new>
#include <thread>

#include "cache/cache_testing.hpp"
#include "cache/database.hpp"
#include "cache/vector_cache.hpp"
#include "support/temp_folder.hpp"

namespace markeval::cache {
namespace {

constexpr std::uint64_t kSharedSize = std::uint64_t{8} << 20;
constexpr std::size_t kSharedItems = 20000;  // twice what fits
constexpr int kWrong = 3, kWarned = 4;

/// What the workers did, in memory they share.
struct Tally {
  std::atomic<std::uint64_t> right{0}, written{0}, runs{0};
};

/// Reads and writes until killed; leaves by itself only with bad news.
[[noreturn]] void work(const std::string& folder, std::uint64_t seed, Tally& tally) {
  RandomStream random(seed, 0);
  ThreadPool pool(1);
  while (true) {
    RememberingLog log;
    VectorCache cache(folder, kSharedSize, &log);
    ++tally.runs;
    for (int round = 0; round < 20; ++round) {
      const std::vector<std::size_t> items = range(random.below(kSharedItems - 200), 200);
      std::vector<char> hit;
      const Found found = read_items(cache, items, pool, &hit);
      if (found.wrong > 0) _exit(kWrong);
      tally.right += found.right;
      std::uint64_t written = 0;
      for (std::size_t index = 0; index < items.size(); ++index) {
        if (hit[index] != 0) continue;
        const Expected expected = expected_of(items[index]);
        cache.write(key_of(items[index]), MatrixView(expected.values.data(), expected.rows, expected.columns),
                    items[index]);
        ++written;
        if (index % 50 == 0) cache.flush();
      }
      tally.written += written;
      if (!log.warnings.empty()) {
        fprintf(stderr, "%s", log.all().c_str());
        _exit(kWarned);
      }
    }
  }
}

pid_t start(const std::string& folder, std::uint64_t seed, Tally& tally) {
  const pid_t child = fork();
  if (child == 0) work(folder, seed, tally);
  return child;
}

/// Kills it; anything but that death is bad news.
void finish(pid_t worker) {
  kill(worker, SIGKILL);
  int status = 0;
  waitpid(worker, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << (WEXITSTATUS(status) == kWrong ? "a wrong vector"
                                                                     : "the cache gave a warning");
}

TEST(CacheProcesses, NeverReadAWrongVectorWhileSomeAreKilled) {
  const TempFolder folder;
  const char* soak = std::getenv("MARKEVAL_SOAK_SECONDS");
  void* shared = mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  Tally& tally = *new (shared) Tally;
  std::vector<pid_t> workers;
  std::uint64_t seed = 0, kills = 0;
  for (int worker = 0; worker < 4; ++worker) workers.push_back(start(folder.path(), ++seed, tally));
  RandomStream random(99, 0);
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(soak == nullptr ? 5 : std::atoi(soak));
  while (std::chrono::steady_clock::now() < end && !::testing::Test::HasFailure()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50 + random.below(250)));
    EXPECT_LE(folder_bytes(folder.path()), kSharedSize);
    pid_t& victim = workers[random.below(workers.size())];
    finish(victim);
    ++kills;
    victim = start(folder.path(), ++seed, tally);
  }
  for (const pid_t worker : workers) finish(worker);
  fprintf(stderr, "%lu kills, %lu caches opened, %lu vectors read and right, %lu written\n", kills,
          tally.runs.load(), tally.right.load(), tally.written.load());
  EXPECT_GT(tally.right, 0u);
  munmap(shared, sizeof(Tally));

  RememberingLog log;
  ThreadPool pool(2);
  VectorCache cache(folder.path(), kSharedSize, &log);
  const Found found = read_items(cache, range(0, kSharedItems), pool);
  EXPECT_EQ(found.wrong, 0u);
  EXPECT_GT(found.right, 2000u);
  write_items(cache, 0, 100);
  EXPECT_EQ(read_items(cache, range(0, 100), pool).right, 100u);
  EXPECT_EQ(log.all(), "");
}

TEST(CacheProcesses, WhatWasFlushedOutlivesAKill) {
  const TempFolder folder;
  const int result = in_child([&] {
    VectorCache cache(folder.path(), kSharedSize);
    write_items(cache, 0, 500);
    return raise(SIGKILL);
  });
  EXPECT_EQ(result, -SIGKILL);
  RememberingLog log;
  ThreadPool pool(1);
  VectorCache cache(folder.path(), kSharedSize, &log);
  EXPECT_EQ(read_items(cache, range(0, 500), pool).right, 500u);
  EXPECT_EQ(log.all(), "");
}

TEST(CacheProcesses, MayAllStartAtTheSameMoment) {
  for (int round = 0; round < 4; ++round) {
    const TempFolder folder;
    std::vector<pid_t> starters;
    for (std::size_t worker = 0; worker < 8; ++worker) {
      const pid_t child = fork();
      if (child == 0) {
        RememberingLog log;
        VectorCache cache(folder.path(), kSharedSize, &log);
        write_items(cache, worker * 10, 10);
        fprintf(stderr, "%s", log.all().c_str());
        _exit(log.warnings.empty() ? 0 : kWarned);
      }
      starters.push_back(child);
    }
    for (const pid_t starter : starters) {
      int status = 0;
      waitpid(starter, &status, 0);
      EXPECT_EQ(status, 0);
    }
    ThreadPool pool(1);
    VectorCache cache(folder.path(), kSharedSize);
    EXPECT_EQ(read_items(cache, range(0, 80), pool).right, 80u);
  }
}

// The second one to notice may empty what the first has begun; that costs time, nothing else.
TEST(CacheProcesses, MayAllFindTheSameDamage) {
  const TempFolder folder;
  folder.write("markeval-cache.sqlite", std::string(100000, 'x'));
  std::vector<pid_t> finders;
  for (std::size_t worker = 0; worker < 6; ++worker) {
    const pid_t child = fork();
    if (child == 0) {
      ThreadPool pool(1);
      VectorCache cache(folder.path(), kSharedSize);
      write_items(cache, worker * 10, 10);
      _exit(read_items(cache, range(0, 60), pool).wrong == 0 ? 0 : kWrong);
    }
    finders.push_back(child);
  }
  for (const pid_t finder : finders) {
    int status = 0;
    waitpid(finder, &status, 0);
    EXPECT_EQ(status, 0);
  }
  RememberingLog log;
  ThreadPool pool(1);
  VectorCache cache(folder.path(), kSharedSize, &log);
  write_items(cache, 0, 100);
  EXPECT_EQ(read_items(cache, range(0, 100), pool).right, 100u);
  EXPECT_EQ(log.all(), "");
}

// One finds damage and empties the file while others use it; they go on without a wrong vector.
TEST(CacheProcesses, OutliveOneThatEmptiesTheFile) {
  const TempFolder folder;
  { write_items(*std::make_unique<VectorCache>(folder.path(), kSharedSize), 0, 2000); }
  std::vector<pid_t> workers;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const pid_t child = fork();
    if (child == 0) {
      ThreadPool pool(1);
      for (int round = 0; round < 30; ++round) {
        VectorCache cache(folder.path(), kSharedSize);
        if (read_items(cache, range(0, 2000), pool).wrong > 0) _exit(kWrong);
        write_items(cache, 20 * static_cast<std::size_t>(round), 20);
      }
      _exit(0);
    }
    workers.push_back(child);
  }
  EXPECT_EQ(in_child([&] {
              for (int round = 0; round < 20; ++round) {
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
                if (Database::reset(folder.file("markeval-cache.sqlite")) != SQLITE_OK) return 1;
              }
              return 0;
            }),
            0);
  for (const pid_t worker : workers) {
    int status = 0;
    waitpid(worker, &status, 0);
    EXPECT_EQ(status, 0);
  }
  RememberingLog log;
  ThreadPool pool(1);
  VectorCache cache(folder.path(), kSharedSize, &log);
  write_items(cache, 0, 100);
  EXPECT_EQ(read_items(cache, range(0, 100), pool).right, 100u);
  EXPECT_EQ(log.all(), "");
}

}  // namespace
}  // namespace markeval::cache
