// Several processes on one cache, some of them killed. MARKEVAL_SOAK_SECONDS makes the killing last longer
// (scripts/soak-cache.sh).
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "embed/cache_testing.hpp"
#include "embed/vector_cache.hpp"
#include "support/temp_folder.hpp"

namespace markeval::embed {
namespace {

constexpr std::uint64_t kSize = std::uint64_t{8} << 20;
constexpr std::size_t kItems = 20000;  // twice what fits
constexpr int kWrong = 3, kWarned = 4;

/// Reads and writes until killed; leaves by itself only with bad news.
[[noreturn]] void work(const std::string& folder, std::uint64_t seed) {
  RandomStream random(seed, 0);
  ThreadPool pool(1);
  while (true) {
    RememberingLog log;
    VectorCache cache(folder, kSize, &log);
    for (int round = 0; round < 20; ++round) {
      std::vector<std::size_t> items = range(random.below(kItems - 200), 200);
      std::vector<char> hit;
      if (read_items(cache, items, pool, &hit).wrong > 0) _exit(kWrong);
      for (std::size_t index = 0; index < items.size(); ++index) {
        if (hit[index] == 0) write_items(cache, items[index], index % 50 == 0 ? 1 : 0);
        if (hit[index] == 0 && index % 50 != 0) {
          const Expected expected = expected_of(items[index]);
          cache.write(test_context().key(text_of(items[index])),
                      MatrixView(expected.values.data(), expected.rows, expected.columns));
        }
      }
      if (!log.warnings.empty()) _exit(kWarned);
    }
  }
}

pid_t start(const std::string& folder, std::uint64_t seed) {
  const pid_t child = fork();
  if (child == 0) work(folder, seed);
  return child;
}

TEST(CacheProcesses, NeverReadAWrongVectorWhileSomeAreKilled) {
  const TempFolder folder;
  const char* soak = std::getenv("MARKEVAL_SOAK_SECONDS");
  const int rounds = soak == nullptr ? 20 : 4 * std::atoi(soak);
  std::vector<pid_t> workers;
  std::uint64_t seed = 0;
  for (int worker = 0; worker < 4; ++worker) workers.push_back(start(folder.path(), ++seed));
  RandomStream random(99, 0);
  const auto finish = [](pid_t worker) {
    kill(worker, SIGKILL);
    int status = 0;
    waitpid(worker, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << (WEXITSTATUS(status) == kWrong ? "a wrong vector"
                                                                       : "the cache gave a warning");
  };
  for (int round = 0; round < rounds; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200 + random.below(100)));
    pid_t& victim = workers[random.below(workers.size())];
    finish(victim);
    victim = start(folder.path(), ++seed);
  }
  for (const pid_t worker : workers) finish(worker);

  RememberingLog log;
  ThreadPool pool(2);
  VectorCache cache(folder.path(), kSize, &log);
  const Found found = read_items(cache, range(0, kItems), pool);
  EXPECT_EQ(found.wrong, 0u);
  EXPECT_GT(found.right, 0u);
  EXPECT_LE(std::filesystem::file_size(folder.file("vectors/data.mdb")), kSize);
  write_items(cache, 0, 100);
  EXPECT_EQ(read_items(cache, range(0, 100), pool).right, 100u);
  EXPECT_EQ(log.all(), "");
}

TEST(CacheProcesses, FollowAnotherProcessThatLetsTheFileGrow) {
  const TempFolder folder;
  RememberingLog log;
  ThreadPool pool(2);
  VectorCache small(folder.path(), VectorCache::kSmallestMaxBytes, &log);
  write_items(small, 0, 100);
  const pid_t child = fork();
  if (child == 0) {
    // The child's copy of `small` is never touched: it leaves without destroying it.
    setenv("MARKEVAL_TEST_FOLDER", folder.path().c_str(), 1);
    execl("/proc/self/exe", "grow", "--gtest_also_run_disabled_tests", "--gtest_filter=*GrowForAnotherTest",
          nullptr);
    _exit(9);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_GT(std::filesystem::file_size(folder.file("vectors/data.mdb")), VectorCache::kSmallestMaxBytes);
  EXPECT_EQ(read_items(small, range(0, 20000), pool).right, 20000u);
  write_items(small, 20000, 100);
  EXPECT_EQ(read_items(small, range(20000, 100), pool).right, 100u);
  EXPECT_EQ(log.all(), "");
}

// Run by the test above in a process of its own.
TEST(CacheProcesses, DISABLED_GrowForAnotherTest) {
  const char* folder = std::getenv("MARKEVAL_TEST_FOLDER");
  if (folder == nullptr) GTEST_SKIP() << "started by another test only";
  VectorCache cache(folder, 64 * VectorCache::kSmallestMaxBytes);
  write_items(cache, 0, 20000);
}

}  // namespace
}  // namespace markeval::embed
