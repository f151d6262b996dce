#include "cache/vector_cache.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "base/error.hpp"
#include "cache/cache_testing.hpp"
#include "support/temp_folder.hpp"

namespace markeval::cache {
namespace {

namespace fs = std::filesystem;

class VectorCacheTest : public ::testing::Test {
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
  }
  VectorCache cache(folder_.path(), 8 * kSmall, &log_);
  const Found found = read_items(cache, range(0, 4000), pool_);
  EXPECT_EQ(found.right, 3000u);
  EXPECT_EQ(found.wrong, 0u);
  EXPECT_EQ(log_.all(), "");
}

TEST_F(VectorCacheTest, WritesWhatIsLeftAtTheEnd) {
  const float values[2] = {1, 2};
  const Key key = key_of(0);
  VectorCache(folder_.path(), kSmall, &log_).write(key, MatrixView<const float>(values, 1, 2));
  VectorCache cache(folder_.path(), kSmall, &log_);
  EXPECT_TRUE(is_there(cache, key, pool_, [](auto...) { return true; }));
}

TEST_F(VectorCacheTest, KeepsEmptyMatrices) {
  VectorCache cache(folder_.path(), kSmall, &log_);
  const Key key = key_of(0);
  cache.write(key, MatrixView<const float>(), 5);
  cache.flush();
  EXPECT_TRUE(is_there(cache, key, pool_, [](MatrixView<const float> rows, std::uint64_t note) {
    return rows.empty() && note == 5;
  }));
}

TEST_F(VectorCacheTest, TheLastWrittenUnderAKeyCounts) {
  VectorCache cache(folder_.path(), kSmall, &log_);
  const Key key = key_of(0);
  for (const float value : {1.0F, 2.0F, 3.0F}) cache.write(key, MatrixView<const float>(&value, 1, 1));
  cache.flush();
  EXPECT_TRUE(
      is_there(cache, key, pool_, [](MatrixView<const float> rows, auto) { return rows(0, 0) == 3; }));
}

TEST_F(VectorCacheTest, NoneHoldsNothingAndMakesNoFile) {
  VectorCache cache("none", kSmall, &log_);
  write_items(cache, 0, 10);
  EXPECT_EQ(read_items(cache, range(0, 10), pool_).right, 0u);
  EXPECT_FALSE(cache.active());
  EXPECT_EQ(log_.all(), "");
  EXPECT_FALSE(fs::exists("none"));
}

TEST_F(VectorCacheTest, ItsFilesAreForTheirOwnerOnly) {
  VectorCache cache(folder_.path(), kSmall, &log_);
  write_items(cache, 0, 10);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    EXPECT_EQ(entry.status().permissions(), fs::perms::owner_read | fs::perms::owner_write) << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 3u);  // the file, its log, the log's index
}

TEST_F(VectorCacheTest, SharesOneFileBetweenThreadsOfAProcess) {
  std::vector<std::thread> threads;
  std::atomic<std::size_t> wrong{0}, right{0};
  RememberingLog logs[4];
  for (std::size_t worker = 0; worker < 4; ++worker) {
    threads.emplace_back([&, worker] {
      ThreadPool pool(1);
      for (std::size_t round = 0; round < 8; ++round) {
        VectorCache cache(folder_.path(), 8 * kSmall, &logs[worker]);
        const Found found = read_items(cache, range(0, 800), pool);
        write_items(cache, (worker * 8 + round) * 25, 25);
        wrong += found.wrong;
        right += found.right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const RememberingLog& log : logs) EXPECT_EQ(log.all(), "");
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

// The caller's function never runs inside a call of SQLite, so its exceptions pass through our own frames
// only.
TEST_F(VectorCacheTest, AnExceptionOfTheReaderComesOutAndHarmsNothing) {
  VectorCache cache(folder_.path(), kSmall, &log_);
  write_items(cache, 0, 100);
  std::vector<Key> keys;
  for (std::size_t item = 0; item < 100; ++item) keys.push_back(key_of(item));
  const auto fails = [](std::size_t index, auto...) {
    if (index == 50) throw std::runtime_error("full");
  };
  EXPECT_THROW(cache.read(keys, pool_, fails), std::runtime_error);
  write_items(cache, 100, 100);
  EXPECT_EQ(read_items(cache, range(0, 200), pool_).right, 200u);
  EXPECT_EQ(log_.all(), "");
}

/// Fails the test where it is called from another thread than it was made on.
class OneThreadLog : public RememberingLog {
 public:
  void warning(const std::string& message) override {
    EXPECT_EQ(std::this_thread::get_id(), made_on_);
    RememberingLog::warning(message);
  }

 private:
  std::thread::id made_on_ = std::this_thread::get_id();
};

TEST_F(VectorCacheTest, SpeaksOnTheThreadOfItsCaller) {
  OneThreadLog log;
  VectorCache cache(folder_.path(), kSmall, &log);
  write_items(cache, 0, 10);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(folder_.file("markeval-cache.sqlite").c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "DROP TABLE records_2", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  write_items(cache, 10, 10);  // the thread in the background meets it
  EXPECT_FALSE(cache.active());
  ASSERT_EQ(log.warnings.size(), 1u);
  EXPECT_EQ(log.warnings[0],
            "cache " + folder_.path() + ": emptied by another process; this run goes on without it");
}

TEST_F(VectorCacheTest, RefusesASizeTooSmallToWork) {
  EXPECT_ERROR(VectorCache(folder_.path(), 1000), ErrorCode::usage,
               "cache size 1000 bytes, expected at least 4194304");
}

// It may be gigabytes, but its names are those of any LMDB file, so we do not delete it ourselves.
TEST_F(VectorCacheTest, SaysThatTheFilesOfVersion010AreOfNoUse) {
  fs::create_directories(folder_.file("vectors"));
  folder_.write("vectors/data.mdb", "x");
  const VectorCache cache(folder_.path(), kSmall, &log_);
  ASSERT_EQ(log_.infos.size(), 1u);
  EXPECT_EQ(log_.infos[0], "cache " + folder_.path() +
                               ": its folder vectors is of version 0.1.0; nothing reads it, delete it");
  EXPECT_EQ(log_.all(), "");
  EXPECT_TRUE(cache.active());
  EXPECT_TRUE(fs::exists(folder_.file("vectors/data.mdb")));
}

}  // namespace
}  // namespace markeval::cache
