#include "embed/vector_cache.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/error.hpp"
#include "embed/cache_testing.hpp"
#include "embed/places.hpp"
#include "support/environment.hpp"
#include "support/temp_folder.hpp"

namespace markeval::embed {
namespace {

constexpr std::uint64_t kSmall = VectorCache::kSmallestMaxBytes;

class VectorCacheTest : public testing::Test {
 protected:
  TempFolder folder_;
  RememberingLog log_;
  ThreadPool pool_{2};
};

TEST_F(VectorCacheTest, GivesBackWhatAnEarlierRunWrote) {
  {
    VectorCache cache(folder_.path(), 8 * kSmall, &log_);
    EXPECT_EQ(read_items(cache, range(0, 3000), pool_).right, 0u);
    write_items(cache, 0, 3000);
    EXPECT_EQ(cache.counts().written, 3000u);
    EXPECT_EQ(cache.counts().misses, 3000u);
  }
  VectorCache cache(folder_.path(), 8 * kSmall, &log_);
  const Found found = read_items(cache, range(0, 4000), pool_);
  EXPECT_EQ(found.right, 3000u);
  EXPECT_EQ(found.wrong, 0u);
  EXPECT_EQ(cache.counts().hits, 3000u);
  EXPECT_EQ(cache.counts().misses, 1000u);
  EXPECT_EQ(log_.all(), "");
}

TEST_F(VectorCacheTest, WritesWhatIsLeftAtTheEnd) {
  const float values[2] = {1, 2};
  const CacheKey key = test_context().key("x");
  VectorCache(folder_.path(), kSmall, &log_).write(key, MatrixView<const float>(values, 1, 2));
  VectorCache cache(folder_.path(), kSmall, &log_);
  EXPECT_EQ(cache.read(std::span(&key, 1), pool_, [](std::size_t, const CachedRows&) { return true; }), 1u);
}

TEST_F(VectorCacheTest, CountsWhatTheReaderRefusesAsMiss) {
  VectorCache cache(folder_.path(), kSmall, &log_);
  write_items(cache, 0, 1);
  const CacheKey key = test_context().key(text_of(0));
  EXPECT_EQ(cache.read(std::span(&key, 1), pool_, [](std::size_t, const CachedRows&) { return false; }), 0u);
  EXPECT_EQ(cache.counts().misses, 1u);
}

TEST_F(VectorCacheTest, KeepsEmptyMatrices) {
  VectorCache cache(folder_.path(), kSmall, &log_);
  const CacheKey key = test_context().key("");
  cache.write(key, MatrixView<const float>());
  cache.flush();
  std::size_t values = 1;
  EXPECT_EQ(cache.read(std::span(&key, 1), pool_,
                       [&](std::size_t, const CachedRows& rows) {
                         values = rows.values();
                         return true;
                       }),
            1u);
  EXPECT_EQ(values, 0u);
}

TEST_F(VectorCacheTest, NoneHoldsNothingAndMakesNoFile) {
  VectorCache cache("none", kSmall, &log_);
  write_items(cache, 0, 10);
  EXPECT_EQ(read_items(cache, range(0, 10), pool_).right, 0u);
  EXPECT_FALSE(cache.active());
  EXPECT_EQ(cache.counts().misses, 10u);
  EXPECT_EQ(log_.all(), "");
  EXPECT_FALSE(std::filesystem::exists("none"));
}

TEST_F(VectorCacheTest, StaysWithinItsSizeAndLetsTheOldestGoFirst) {
  VectorCache cache(folder_.path(), kSmall, &log_);
  const std::size_t written = 30000;  // about 24 MB of records for 4 MiB
  for (std::size_t item = 0; item < written; item += 100) {
    write_items(cache, item, 100);
    ASSERT_LE(std::filesystem::file_size(folder_.file("vectors/data.mdb")), kSmall);
  }
  EXPECT_EQ(cache.counts().written, written);
  std::vector<char> hit;
  const Found found = read_items(cache, range(0, written), pool_, &hit);
  EXPECT_EQ(found.wrong, 0u);
  EXPECT_GT(found.right, 1500u);
  const std::size_t oldest = static_cast<std::size_t>(std::find(hit.begin(), hit.end(), 1) - hit.begin());
  EXPECT_EQ(found.right, written - oldest) << "an entry younger than the oldest kept one is missing";
  EXPECT_EQ(cache.counts().evicted, oldest);
  EXPECT_EQ(log_.all(), "");
}

TEST_F(VectorCacheTest, SkipsATextTooLargeForIt) {
  VectorCache cache(folder_.path(), kSmall, &log_);
  const std::vector<float> large(kSmall / 8);
  cache.write(test_context().key("long"), MatrixView<const float>(large.data(), 1, large.size()));
  write_items(cache, 0, 10);
  EXPECT_EQ(cache.counts().written, 10u);
  EXPECT_TRUE(cache.active());
}

TEST_F(VectorCacheTest, TakesALargerSizeFromAnother) {
  // Two caches of one process share the file, so the larger one is another process; see
  // cache_processes_test.cpp.
  { write_items(*std::make_unique<VectorCache>(folder_.path(), 8 * kSmall, &log_), 0, 20000); }
  VectorCache cache(folder_.path(), kSmall, &log_);
  EXPECT_GT(read_items(cache, range(0, 20000), pool_).right, 10000u);
  EXPECT_EQ(log_.all(), "");
}

TEST_F(VectorCacheTest, SharesOneFileBetweenThreadsOfAProcess) {
  std::vector<std::thread> threads;
  std::atomic<std::size_t> wrong{0}, right{0};
  for (std::size_t worker = 0; worker < 4; ++worker) {
    threads.emplace_back([&, worker] {
      RememberingLog log;
      ThreadPool pool(1);
      for (std::size_t round = 0; round < 8; ++round) {
        VectorCache cache(folder_.path(), 8 * kSmall, &log);
        const Found found = read_items(cache, range(0, 800), pool);
        wrong += found.wrong + log.warnings.size();
        right += found.right;
        write_items(cache, (worker * 8 + round) * 25, 25);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  VectorCache cache(folder_.path(), 8 * kSmall, &log_);
  EXPECT_EQ(read_items(cache, range(0, 800), pool_).right, 800u);
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(right, 0u);
}

TEST_F(VectorCacheTest, OneCacheServesManyThreads) {
  VectorCache cache(folder_.path(), 8 * kSmall, &log_);
  std::vector<std::thread> threads;
  std::atomic<std::size_t> wrong{0};
  for (std::size_t worker = 0; worker < 4; ++worker) {
    threads.emplace_back([&, worker] {
      ThreadPool pool(1);
      write_items(cache, worker * 200, 200);
      wrong += read_items(cache, range(0, 800), pool).wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(read_items(cache, range(0, 800), pool_).right, 800u);
}

TEST_F(VectorCacheTest, RefusesASizeTooSmallToWork) {
  EXPECT_ERROR(VectorCache(folder_.path(), 1000), ErrorCode::usage,
               "cache size 1000 bytes, expected at least 4194304");
}

TEST(CachePlace, FollowsTheEnvironment) {
  const EnvironmentVariable home("HOME", "/home/h");
  const EnvironmentVariable xdg("XDG_CACHE_HOME", nullptr);
  const EnvironmentVariable own("MARKEVAL_CACHE", nullptr);
  EXPECT_EQ(default_cache_folder(), "/home/h/.cache/markeval");
  const EnvironmentVariable xdg_set("XDG_CACHE_HOME", "/x");
  EXPECT_EQ(default_cache_folder(), "/x/markeval");
  const EnvironmentVariable own_set("MARKEVAL_CACHE", "none");
  EXPECT_EQ(default_cache_folder(), "none");
}

TEST(CachePlace, ReadsItsSizeFromTheEnvironment) {
  const EnvironmentVariable unset("MARKEVAL_CACHE_SIZE", nullptr);
  EXPECT_EQ(default_cache_bytes(), VectorCache::kDefaultMaxBytes);
  const EnvironmentVariable set("MARKEVAL_CACHE_SIZE", "512M");
  EXPECT_EQ(default_cache_bytes(), std::uint64_t{512} << 20);
  for (const char* bad : {"lots", "4T", "-1", "99999999999G", "G"}) {
    const EnvironmentVariable wrong("MARKEVAL_CACHE_SIZE", bad);
    EXPECT_ERROR(default_cache_bytes(), ErrorCode::usage, bad);
  }
}

}  // namespace
}  // namespace markeval::embed
