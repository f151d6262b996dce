// How large a cache grows, and what it does where it cannot be kept at all.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#include "cache/cache_testing.hpp"
#include "cache/vector_cache.hpp"
#include "support/temp_folder.hpp"

namespace {
long pretended_file_system = 0;
}  // namespace

// Stands before the system's own in this program, so that a folder can be said to lie on another file system.
extern "C" int statfs(const char* path, struct statfs* status) noexcept {
  struct statfs64 found {};
  if (statfs64(path, &found) != 0) return -1;
  *status = {};
  status->f_type = pretended_file_system != 0 ? pretended_file_system : found.f_type;
  return 0;
}

namespace markeval::cache {
namespace {

namespace fs = std::filesystem;

class CacheLimits : public ::testing::Test {
 protected:
  std::uint64_t file_bytes() const { return fs::file_size(folder_.file("markeval-cache.sqlite")); }
  TempFolder folder_;
  RememberingLog log_;
  ThreadPool pool_{2};
};

TEST_F(CacheLimits, StaysWithinItsSizeAndLetsTheOldestGoFirst) {
  VectorCache cache(folder_.path(), kSmall, &log_);
  const std::size_t written = 30000;  // about 24 MB of records for 4 MiB
  for (std::size_t item = 0; item < written; item += 100) {
    write_items(cache, item, 100);
    ASSERT_LE(folder_bytes(folder_.path()), kSmall);
  }
  std::vector<char> hit;
  const Found found = read_items(cache, range(0, written), pool_, &hit);
  EXPECT_EQ(found.wrong, 0u);
  EXPECT_GT(found.right, 2000u);
  const auto oldest = static_cast<std::size_t>(std::find(hit.begin(), hit.end(), 1) - hit.begin());
  EXPECT_EQ(found.right, written - oldest) << "an entry younger than the oldest kept one is missing";
  EXPECT_EQ(log_.all(), "");
}

TEST_F(CacheLimits, ADatabaseOfAnotherProgramStaysAsItIs) {
  const std::string path = folder_.file("markeval-cache.sqlite");
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  EXPECT_EQ(
      sqlite3_exec(other, "CREATE TABLE records_of_sales(price REAL); INSERT INTO records_of_sales VALUES(2)",
                   nullptr, nullptr, nullptr),
      SQLITE_OK);
  sqlite3_close(other);
  const auto bytes = [&] {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string before = bytes();
  {
    VectorCache cache(folder_.path(), kSmall, &log_);
    EXPECT_FALSE(cache.active());
    write_items(cache, 0, 10);
  }
  EXPECT_EQ(bytes(), before);
  EXPECT_EQ(log_.all(), "cache " + folder_.path() +
                            ": its file is another program's database, and stays as it is; this run goes on "
                            "without it\n");
}

// Pages hold one record of 4.2 kB each, so nearly half of the file is empty.
TEST_F(CacheLimits, StaysWithinItsSizeWithRecordsThatFillPagesBadly) {
  VectorCache cache(folder_.path(), kSmall, &log_);
  const std::vector<float> values(1050);
  for (std::size_t item = 0; item < 3000; ++item) {
    cache.write(key_of(item), MatrixView<const float>(values.data(), 1, values.size()));
    if (item % 20 != 0) continue;
    cache.flush();
    ASSERT_LE(folder_bytes(folder_.path()), kSmall);
  }
  EXPECT_EQ(log_.all(), "");
}

TEST_F(CacheLimits, SkipsAMatrixTooLargeForIt) {
  VectorCache cache(folder_.path(), kSmall, &log_);
  const std::vector<float> large(kSmall / 32);
  cache.write(key_of(99), MatrixView<const float>(large.data(), 1, large.size()));
  write_items(cache, 0, 10);
  EXPECT_EQ(read_items(cache, range(0, 10), pool_).right, 10u);
  EXPECT_EQ(read_items(cache, {99}, pool_).wrong, 0u);
  EXPECT_TRUE(cache.active());
}

TEST_F(CacheLimits, AReopenedCacheShrinksToASmallerLimit) {
  { write_items(*std::make_unique<VectorCache>(folder_.path(), 16 * kSmall, &log_), 0, 20000); }
  const auto before = file_bytes();
  ASSERT_GT(before, 3 * kSmall);
  {
    VectorCache cache(folder_.path(), kSmall, &log_);
    EXPECT_EQ(read_items(cache, range(0, 20000), pool_).right, 20000u);
    write_items(cache, 20000, 100);
    EXPECT_GT(read_items(cache, range(0, 20000), pool_).right, 15000u) << "one batch let most of it go";
    write_items(cache, 20100, 12000);
    EXPECT_LE(folder_bytes(folder_.path()), kSmall);
    const Found found = read_items(cache, range(20100, 12000), pool_);
    EXPECT_GT(found.right, 2000u);
    EXPECT_EQ(found.wrong, 0u);
  }
  EXPECT_LE(folder_bytes(folder_.path()), kSmall);
  EXPECT_EQ(log_.all(), "");
}

/// Another process that stands still in the middle of what `sql` started, as after Ctrl-Z.
class StandingStill {
 public:
  StandingStill(const std::string& file, const char* sql) {
    EXPECT_EQ(sqlite3_open(file.c_str(), &connection_), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr), SQLITE_OK);
  }
  ~StandingStill() { sqlite3_close(connection_); }

 private:
  sqlite3* connection_ = nullptr;
};

// It keeps the log from being emptied.
TEST_F(CacheLimits, AReaderThatStandsStillDoesNotLetTheLogGrow) {
  {
    VectorCache cache(folder_.path(), kSmall, &log_);
    write_items(cache, 0, 100);
    const StandingStill other(folder_.file("markeval-cache.sqlite"), "BEGIN; SELECT count(*) FROM records_2");
    for (std::size_t item = 100; item < 2000; item += 100) write_items(cache, item, 100);
    EXPECT_LE(folder_bytes(folder_.path()), kSmall);
    EXPECT_FALSE(cache.active());
    ASSERT_EQ(log_.warnings.size(), 1u);
    EXPECT_EQ(log_.warnings[0],
              "cache " + folder_.path() + ": database is locked; this run goes on without it");
  }
  VectorCache cache(folder_.path(), kSmall, &log_);
  write_items(cache, 5000, 100);
  EXPECT_EQ(read_items(cache, range(5000, 100), pool_).right, 100u);
  EXPECT_EQ(log_.warnings.size(), 1u);
}

// It holds the lock. Ctrl-C must not wait for it for ever.
TEST_F(CacheLimits, AWriterThatStandsStillHoldsNobodyUpForLong) {
  VectorCache cache(folder_.path(), kSmall, &log_);
  write_items(cache, 0, 100);
  const StandingStill other(folder_.file("markeval-cache.sqlite"), "BEGIN IMMEDIATE");
  EXPECT_EQ(read_items(cache, range(0, 200), pool_).right, 100u);
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t item = 100; item < 1000; item += 100) write_items(cache, item, 100);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_FALSE(cache.active());
  ASSERT_EQ(log_.warnings.size(), 1u);
  EXPECT_EQ(log_.warnings[0],
            "cache " + folder_.path() + ": database is locked; this run goes on without it");
}

TEST_F(CacheLimits, AFolderThatCannotBeMadeIsAWarning) {
  const std::string file = folder_.write("file", "in the way");
  VectorCache cache(file + "/cache", kSmall, &log_);
  write_items(cache, 0, 10);
  EXPECT_EQ(read_items(cache, range(0, 10), pool_).right, 0u);
  EXPECT_FALSE(cache.active());
  ASSERT_EQ(log_.warnings.size(), 1u);
  EXPECT_EQ(log_.warnings[0], "cache " + file + "/cache: Not a directory; this run goes on without it");
}

TEST_F(CacheLimits, AFolderInThePlaceOfTheFileIsAWarning) {
  fs::create_directories(folder_.file("markeval-cache.sqlite"));
  const VectorCache cache(folder_.path(), kSmall, &log_);
  EXPECT_FALSE(cache.active());
  ASSERT_EQ(log_.warnings.size(), 1u);
  EXPECT_EQ(log_.warnings[0],
            "cache " + folder_.path() +
                ": unable to open database file (Is a directory); this run goes on without it");
}

// What a link leads to would be taken for a damaged cache and emptied.
TEST_F(CacheLimits, ALinkInThePlaceOfTheFileIsNotFollowed) {
  const std::string diary = folder_.write("diary", "Dear diary");
  fs::create_directories(folder_.file("cache"));
  fs::create_symlink(diary, folder_.file("cache/markeval-cache.sqlite"));
  {
    VectorCache cache(folder_.file("cache"), kSmall, &log_);
    write_items(cache, 0, 10);
    EXPECT_FALSE(cache.active());
  }
  EXPECT_EQ(fs::file_size(diary), 10u);
  ASSERT_EQ(log_.warnings.size(), 1u);
  EXPECT_EQ(log_.warnings[0],
            "cache " + folder_.file("cache") + ": its file is a symbolic link; this run goes on without it");
}

TEST_F(CacheLimits, APipeBesideTheFileIsAWarning) {
  fs::create_directories(folder_.file("cache"));
  ASSERT_EQ(::mkfifo(folder_.file("cache/markeval-cache.sqlite-journal").c_str(), 0600), 0);
  VectorCache cache(folder_.file("cache"), kSmall, &log_);
  EXPECT_FALSE(cache.active());
  ASSERT_EQ(log_.warnings.size(), 1u);
  EXPECT_EQ(log_.warnings[0],
            "cache " + folder_.file("cache") +
                ": a file of SQLite's beside it is a link, a pipe or a folder; this run goes "
                "on without it");
}

TEST_F(CacheLimits, ALinkToTheFolderIsFollowed) {
  fs::create_directories(folder_.file("elsewhere"));
  fs::create_symlink(folder_.file("elsewhere"), folder_.file("link"));
  VectorCache cache(folder_.file("link"), kSmall, &log_);
  write_items(cache, 0, 10);
  EXPECT_EQ(read_items(cache, range(0, 10), pool_).right, 10u);
  EXPECT_TRUE(fs::exists(folder_.file("elsewhere/markeval-cache.sqlite")));
  EXPECT_EQ(log_.all(), "");
}

/// Opens the cache as somebody who may not write, whoever runs the tests; 0 where one warning says so.
int open_without_permission(const std::string& folder, const std::string& expected) {
  return in_child([&] {
    if (geteuid() == 0 && seteuid(65534) != 0) return 7;  // root may write everywhere
    RememberingLog log;
    const VectorCache cache(folder, kSmall, &log);
    if (cache.active() || log.warnings.size() != 1) return 1;
    const bool right =
        log.warnings[0] == "cache " + folder + ": " + expected + "; this run goes on without it";
    if (!right) fprintf(stderr, "%s", log.all().c_str());
    return right ? 0 : 2;
  });
}

TEST_F(CacheLimits, AReadOnlyFolderIsAWarning) {
  fs::permissions(folder_.path(), fs::perms{0555});
  EXPECT_EQ(open_without_permission(folder_.path(), "Permission denied"), 0);
  fs::permissions(folder_.path(), fs::perms::owner_all);
}

TEST_F(CacheLimits, AReadOnlyFileIsAWarning) {
  { write_items(*std::make_unique<VectorCache>(folder_.path(), kSmall, &log_), 0, 10); }
  fs::permissions(folder_.path(), fs::perms::all);
  fs::permissions(folder_.file("markeval-cache.sqlite"), fs::perms{0444});
  EXPECT_EQ(open_without_permission(folder_.path(), "attempt to write a readonly database"), 0);
}

TEST_F(CacheLimits, ANetworkFileSystemIsAWarning) {
  pretended_file_system = 0x6969;
  {
    VectorCache cache(folder_.path(), kSmall, &log_);
    write_items(cache, 0, 10);
    EXPECT_FALSE(cache.active());
  }
  pretended_file_system = 0;
  ASSERT_EQ(log_.warnings.size(), 1u);
  EXPECT_EQ(
      log_.warnings[0],
      "cache " + folder_.path() +
          ": it lies on NFS, where processes may not share locks; set MARKEVAL_CACHE to a local folder; "
          "this run goes on without it");
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

// A limit on file sizes stands for a full disk: both make a write fail half-way.
TEST_F(CacheLimits, AFullDiskIsAWarningAndHarmsNothing) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer knows no threads after fork";
#endif
  { write_items(*std::make_unique<VectorCache>(folder_.path(), 8 * kSmall, &log_), 0, 2000); }
  for (const std::uint64_t room : {0u, 8u * 1024, 64u * 1024, 512u * 1024}) {
    const auto run = [&] {
      signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{file_bytes() + room, file_bytes() + room};
      setrlimit(RLIMIT_FSIZE, &limit);
      RememberingLog log;
      VectorCache cache(folder_.path(), 8 * kSmall, &log);
      for (std::size_t item = 2000; item < 12000; item += 1000) write_items(cache, item, 1000);
      const bool warned =
          log.warnings.size() == 1 && log.all().find("goes on without it") != std::string::npos;
      return warned && !cache.active() ? 0 : 1;
    };
    EXPECT_EQ(in_child(run), 0) << room;
    VectorCache cache(folder_.path(), 8 * kSmall, &log_);
    const Found found = read_items(cache, range(0, 2000), pool_);
    EXPECT_EQ(found.right, 2000u) << room;
    EXPECT_EQ(found.wrong, 0u);
    EXPECT_EQ(log_.all(), "");
  }
}

TEST_F(CacheLimits, WithoutAThreadToWriteTheCallerWrites) {
  const auto run = [&] {
    if (geteuid() == 0 && (chown(folder_.path().c_str(), 65534, 65534) != 0 || setuid(65534) != 0)) return 7;
    const rlimit none{0, 0};
    setrlimit(RLIMIT_NPROC, &none);
    bool refused = false;
    try {
      std::thread([] {}).join();
    } catch (const std::system_error&) {
      refused = true;
    }
    RememberingLog log;
    ThreadPool pool(1);
    VectorCache cache(folder_.path(), kSmall, &log);
    write_items(cache, 0, 10);
    const bool right = read_items(cache, range(0, 10), pool).right == 10;
    return refused && right && log.warnings.empty() ? 0 : 1;
  };
  EXPECT_EQ(in_child(run), 0);
}

}  // namespace
}  // namespace markeval::cache
