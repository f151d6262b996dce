// A cache that was damaged or made up from outside: never trusted, never an error, never a crash.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cache/cache_testing.hpp"
#include "cache/vector_cache.hpp"
#include "support/temp_folder.hpp"

namespace markeval::cache {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t kSize = std::uint64_t{32} << 20;
constexpr std::size_t kItems = 2000;
constexpr std::size_t kPage = 8192;

bool soaking() {
  return std::getenv("MARKEVAL_SOAK_SECONDS") != nullptr;
}

/// A place in memory, where files need not be waited for: these tests make thousands of caches.
class MemoryFolder {
 public:
  MemoryFolder() {
    const fs::path place = fs::is_directory("/dev/shm") ? "/dev/shm" : fs::temp_directory_path();
    path_ = place / ("markeval_damage_" + std::to_string(getpid()));
    fs::create_directories(path_);
  }
  ~MemoryFolder() { fs::remove_all(path_); }
  std::string path() const { return path_.string(); }
  std::string data() const { return (path_ / "markeval-cache.sqlite").string(); }

 private:
  fs::path path_;
};

class DamagedCache : public ::testing::Test {
 protected:
  void fill(std::size_t items = kItems) {
    VectorCache cache(folder_.path(), kSize, &log_);
    write_items(cache, 0, items);
  }
  std::string data() const { return folder_.data(); }
  std::string read_file() const {
    std::ifstream file(data(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write_file(const std::string& bytes) const {
    for (const char* end : {"-wal", "-shm"}) fs::remove(data() + end);
    std::ofstream(data(), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  void run_sql(const std::string& sql) const {
    sqlite3* connection = nullptr;
    ASSERT_EQ(sqlite3_open(data().c_str(), &connection), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(connection);
    sqlite3_close(connection);
  }
  std::string noise(std::size_t bytes, std::uint64_t index) const {
    RandomStream random(1, index);
    std::string result(bytes, '\0');
    for (char& one : result) one = static_cast<char>(random.next());
    return result;
  }

  void expect_rebuilt() {
    {
      VectorCache cache(folder_.path(), kSize, &log_);
      EXPECT_TRUE(cache.active());
      EXPECT_EQ(read_items(cache, range(0, kItems), pool_).right, 0u);
      ASSERT_EQ(log_.warnings.size(), 1u);
      EXPECT_NE(log_.all().find(": damaged ("), std::string::npos) << log_.all();
      EXPECT_NE(log_.all().find("), started anew\n"), std::string::npos) << log_.all();
      write_items(cache, 0, kItems);
    }
    VectorCache cache(folder_.path(), kSize, &log_);
    EXPECT_EQ(read_items(cache, range(0, kItems), pool_).right, kItems);
    EXPECT_EQ(log_.warnings.size(), 1u);
  }

  /// Puts each of `damaged(0)`, `damaged(1)`, ... in the place of the file and lets run after run read and
  /// write `items` entries. None may find a wrong vector, and after a few the file must be sound. In a
  /// process of its own with little memory: what asks for gigabytes fails, and a crash is told with the
  /// number it came with.
  void survive(std::size_t rounds, std::size_t items, FunctionRef<std::string(std::size_t round)> damaged) {
    auto* round = static_cast<std::size_t*>(
        mmap(nullptr, sizeof(std::size_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    const int result = in_child([&] {
      const rlimit memory{std::size_t{1} << 30, std::size_t{1} << 30};
      if (!kSanitized) setrlimit(RLIMIT_AS, &memory);
      ThreadPool pool(1);
      std::size_t kept = 0, noticed = 0;
      for (*round = 0; *round < rounds; ++*round) {
        write_file(damaged(*round));
        int run = 0;
        for (bool sound = false; !sound; ++run) {
          RememberingLog log;
          VectorCache cache(folder_.path(), VectorCache::kSmallestMaxBytes, &log);
          if (read_items(cache, range(0, items), pool).wrong > 0) return 1;
          write_items(cache, 0, items + 3);
          const Found found = read_items(cache, range(0, items), pool);
          if (found.wrong > 0) return 1;
          sound = found.right == items && log.warnings.empty();
          if (!sound && run == 3) {
            fprintf(stderr, "%zu of %zu items, %s\n", found.right, items, log.all().c_str());
            return 2;
          }
        }
        (run == 1 ? kept : noticed) += 1;
      }
      rusage usage{};
      getrusage(RUSAGE_SELF, &usage);
      fprintf(stderr, "%zu kinds of damage: %zu noticed, %zu without effect, at most %ld MiB\n", rounds,
              noticed, kept, usage.ru_maxrss >> 10);
      if (!kSanitized && usage.ru_maxrss >> 10 > 256) return 4;
      return noticed > 0 ? 0 : 3;
    });
    EXPECT_NE(result, 1) << "a wrong vector, round " << *round;
    EXPECT_NE(result, 2) << "the damage stays, round " << *round;
    EXPECT_NE(result, 3) << "no damage was noticed at all";
    EXPECT_NE(result, 4) << "too much memory";
    EXPECT_NE(result, 99) << "an exception, round " << *round;
    EXPECT_GE(result, 0) << "signal " << -result << ", round " << *round;
    munmap(round, sizeof(std::size_t));
  }

  const MemoryFolder folder_;
  RememberingLog log_;
  ThreadPool pool_{2};
};

TEST_F(DamagedCache, GarbageInsteadOfAFileIsReplaced) {
  write_file(noise(100000, 1));
  expect_rebuilt();
}

TEST_F(DamagedCache, ATruncatedFileIsReplaced) {
  fill();
  fs::resize_file(data(), fs::file_size(data()) / 2 / kPage * kPage);
  expect_rebuilt();
}

TEST_F(DamagedCache, AFileCutInsideItsHeadIsReplaced) {
  fill();
  fs::resize_file(data(), 5000);
  expect_rebuilt();
}

TEST_F(DamagedCache, AZeroedFileIsReplaced) {
  fill();
  write_file(std::string(fs::file_size(data()), '\0'));
  expect_rebuilt();
}

TEST_F(DamagedCache, AnotherFormatIsReplaced) {
  run_sql("CREATE TABLE records_0(sequence INTEGER PRIMARY KEY, record BLOB)");
  expect_rebuilt();
}

TEST_F(DamagedCache, AFileInLmdbsFormatIsReplaced) {
  std::string bytes(100000, '\0');
  bytes.replace(16, 4, "\xDE\xC0\xEF\xBE");
  write_file(bytes);
  expect_rebuilt();
}

TEST_F(DamagedCache, AnEmptyFileIsANewOne) {
  write_file("");
  VectorCache cache(folder_.path(), kSize, &log_);
  write_items(cache, 0, 10);
  EXPECT_EQ(read_items(cache, range(0, 10), pool_).right, 10u);
  EXPECT_EQ(log_.all(), "");
}

TEST_F(DamagedCache, ADamagedEntryIsAMissAndWrittenAgain) {
  fill();
  // The numbers of one item, found by their bytes: the entry's page stays sound, its checksum does not.
  const Expected expected = expected_of(1501);
  std::string bytes = read_file();
  const auto at = bytes.find(std::string(reinterpret_cast<const char*>(expected.values.data()), 384));
  ASSERT_NE(at, std::string::npos);
  bytes[at + 100] ^= 1;
  write_file(bytes);
  VectorCache cache(folder_.path(), kSize, &log_);
  EXPECT_EQ(read_items(cache, range(0, kItems), pool_).right, kItems - 1);
  write_items(cache, 1501, 1);
  EXPECT_EQ(read_items(cache, range(0, kItems), pool_).right, kItems);
  EXPECT_EQ(log_.all(), "");
}

TEST_F(DamagedCache, DamageMetWhileReadingEmptiesTheFileForTheNextRun) {
  fill();
  std::string bytes = read_file();
  for (std::size_t page = 4; page < bytes.size() / kPage; ++page)
    bytes.replace(page * kPage, kPage, noise(kPage, page));
  write_file(bytes);
  {
    VectorCache cache(folder_.path(), kSize, &log_);
    EXPECT_EQ(read_items(cache, range(0, kItems), pool_).wrong, 0u);
    EXPECT_FALSE(cache.active());
    ASSERT_EQ(log_.warnings.size(), 1u);
    EXPECT_EQ(log_.warnings[0],
              "cache " + folder_.path() +
                  ": damaged (database disk image is malformed), emptied; this run goes on without it");
  }
  EXPECT_LE(fs::file_size(data()), 4 * kPage);
  VectorCache cache(folder_.path(), kSize, &log_);
  write_items(cache, 0, kItems);
  EXPECT_EQ(read_items(cache, range(0, kItems), pool_).right, kItems);
  EXPECT_EQ(log_.warnings.size(), 1u);
}

// A map of the file would end the process here.
TEST_F(DamagedCache, AFileCutWhileItIsOpenIsNoCrash) {
  fill();
  const int result = in_child([&] {
    ThreadPool pool(1);
    RememberingLog log;
    VectorCache cache(folder_.path(), kSize, &log);
    if (read_items(cache, range(0, 10), pool).right != 10) return 1;
    fs::resize_file(data(), 5 * kPage);
    if (read_items(cache, range(0, kItems), pool).wrong > 0) return 2;
    write_items(cache, 0, kItems);
    return cache.active() || log.warnings.size() != 1 ? 3 : 0;
  });
  EXPECT_EQ(result, 0);
  VectorCache cache(folder_.path(), kSize, &log_);
  write_items(cache, 0, kItems);
  EXPECT_EQ(read_items(cache, range(0, kItems), pool_).right, kItems);
}

// Heads of pages, sizes of records, the index, records; in the longer trial empty bytes too. A wrong size
// made version 0.1.0 give memory back that was not its own.
TEST_F(DamagedCache, AnyByteMayBeWrong) {
  constexpr std::size_t kFew = 4;
  fill(kFew);
  const std::string whole = read_file();
  std::vector<std::size_t> offsets;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    const std::string_view around = std::string_view(whole).substr(at < 4 ? 0 : at - 4, 8);
    const bool says_something = around.find_first_not_of('\0') != std::string_view::npos;
    // A page has its head in front; its first entry stands at the end.
    const bool is_structure = at % kPage < 512 || at % kPage >= kPage - 24;
    if (soaking() || (says_something && (is_structure || at % 7 == 0))) offsets.push_back(at);
  }
  survive(2 * offsets.size(), kFew, [&](std::size_t round) {
    std::string bytes = whole;
    char& one = bytes[offsets[round / 2]];
    one = static_cast<char>(round % 2 == 0 ? one ^ 0xff : one ^ (1 << (round / 2 % 8)));
    return bytes;
  });
}

// Large records lie on chains of pages, each with the number of the next. A wrong one crashed version 0.1.0.
TEST_F(DamagedCache, AnyBitOfTheHeadOfAPageMayBeWrong) {
  constexpr std::size_t kSome = 32;  // two of them larger than a page
  fill(kSome);
  const std::string whole = read_file();
  ASSERT_GE(whole.size() / kPage, 10u);
  survive(whole.size() / kPage * 64, kSome, [&](std::size_t round) {
    std::string bytes = whole;
    bytes[round / 64 * kPage + round % 64 / 8] ^= static_cast<char>(1 << (round % 8));
    return bytes;
  });
}

// Pages overwritten with noise, zeros, another page or flipped bits.
TEST_F(DamagedCache, AnyPageMayBeWrong) {
  constexpr std::size_t kSome = 400;
  fill(kSome);
  const std::string whole = read_file();
  const auto pages = whole.size() / kPage;
  survive(soaking() ? 4000 : 60, kSome, [&](std::size_t round) {
    RandomStream random(2, round);
    std::string bytes = whole;
    for (std::size_t spot = 0; spot < 1 + round % 3; ++spot) {
      const auto page = round % 8 < 4 ? round / 8 % pages : random.below(pages);
      switch (round % 4) {
        case 0:
          bytes.replace(page * kPage, kPage, noise(kPage, round));
          break;
        case 1:
          bytes.replace(page * kPage, kPage, std::string(kPage, '\0'));
          break;
        case 2:
          bytes.replace(page * kPage, kPage, whole.substr(random.below(pages) * kPage, kPage));
          break;
        default:
          for (int flip = 0; flip < 8; ++flip)
            bytes[page * kPage + random.below(64)] ^= static_cast<char>(1 << random.below(8));
      }
    }
    return bytes;
  });
}

// What a killed process leaves is a log; damage there undoes what was written last, no more.
TEST_F(DamagedCache, AnyPartOfTheLogMayBeWrong) {
  constexpr std::size_t kSome = 40;
  fill(kSome);
  const std::string whole = read_file();
  std::string log;
  {
    sqlite3* connection = nullptr;
    ASSERT_EQ(sqlite3_open(data().c_str(), &connection), SQLITE_OK);
    EXPECT_EQ(
        sqlite3_exec(connection, "PRAGMA wal_autocheckpoint=0; UPDATE records_2 SET record=record || ''",
                     nullptr, nullptr, nullptr),
        SQLITE_OK);
    std::ifstream file(data() + "-wal", std::ios::binary);
    log.assign(std::istreambuf_iterator<char>(file), {});
    sqlite3_close(connection);
  }
  ASSERT_GT(log.size(), 3 * kPage);
  const int result = in_child([&] {
    ThreadPool pool(1);
    for (std::size_t round = 0; round < 300; ++round) {
      write_file(whole);
      std::string damaged = log;
      RandomStream random(3, round);
      if (round % 2 == 0) damaged[round / 2 % 64] ^= static_cast<char>(1 << random.below(8));
      if (round % 2 == 1) damaged.resize(random.below(log.size()));
      for (int flip = 0; flip < 4; ++flip)
        damaged[random.below(damaged.size())] ^= static_cast<char>(1 << random.below(8));
      std::ofstream(data() + "-wal", std::ios::binary) << damaged;
      RememberingLog said;
      VectorCache cache(folder_.path(), VectorCache::kSmallestMaxBytes, &said);
      const Found found = read_items(cache, range(0, kSome), pool);
      if (found.right != kSome || found.wrong != 0 || !said.warnings.empty()) return 1;
    }
    return 0;
  });
  EXPECT_EQ(result, 0);
}

// A record as long as SQLite takes it, in a file that has it: nothing is read of it.
TEST_F(DamagedCache, ARecordLongerThanAnyWeWriteIsNotRead) {
  fill(1);
  run_sql("UPDATE records_2 SET record=zeroblob(20000000)");
  const std::string whole = read_file();
  survive(1, 1, [&](std::size_t) { return whole; });
}

// A schema is a tree of names. In this one every pointer of a page leads to the same page below, five times
// over, so that a walk through it would meet 10^9 rows, each of them sound.
TEST_F(DamagedCache, ACraftedTreeOfNamesIsNotWalked) {
  std::string sql = "PRAGMA page_size=512; CREATE TABLE t(a); PRAGMA writable_schema=ON; BEGIN;";
  for (int row = 0; row < 20000; ++row)
    sql += "INSERT INTO sqlite_master VALUES('table','t','t',2,'CREATE TABLE IF NOT EXISTS t(a)');";
  run_sql(sql + "COMMIT");
  std::string bytes = read_file();
  constexpr std::size_t kSmallPage = 512, kLevels = 5;
  const auto head = [](std::size_t page) { return page == 0 ? 100 : page * kSmallPage; };
  std::vector<std::size_t> inner;  // pages that lead to others
  for (std::size_t page = 0; page < bytes.size() / kSmallPage && inner.size() < kLevels; ++page) {
    if (bytes[head(page)] == 5) inner.push_back(page);
  }
  ASSERT_EQ(inner.size(), kLevels);
  ASSERT_EQ(inner[0], 0u);
  const auto number = [&](std::size_t at) {  // two bytes, the higher one first
    return std::size_t{static_cast<unsigned char>(bytes[at])} * 256 +
           static_cast<unsigned char>(bytes[at + 1]);
  };
  for (std::size_t level = 0; level < kLevels; ++level) {
    const std::size_t start = head(inner[level]);
    std::string below = bytes.substr(start + 8, 4);  // a leaf, for the last level
    if (level + 1 < kLevels) {
      const std::size_t next = inner[level + 1] + 1;  // counted from 1
      below = {'\0', '\0', static_cast<char>(next / 256), static_cast<char>(next % 256)};
    }
    bytes.replace(start + 8, 4, below);
    for (std::size_t cell = 0; cell < number(start + 3); ++cell)
      bytes.replace(inner[level] * kSmallPage + number(start + 12 + 2 * cell), 4, below);
  }
  survive(1, 4, [&](std::size_t) {
    alarm(60);
    return bytes;
  });
}

// What a schema may make SQLite do by itself must not happen.
TEST_F(DamagedCache, ACraftedTriggerIsNotRun) {
  fill(4);
  run_sql(
      "CREATE TABLE copies(a); CREATE TRIGGER copy AFTER INSERT ON records_2 BEGIN"
      " INSERT INTO copies SELECT zeroblob(1000000) FROM records_2; END");
  expect_rebuilt();
}

}  // namespace
}  // namespace markeval::cache
