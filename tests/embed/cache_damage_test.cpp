// A cache that was damaged from outside: never trusted, never an error.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "embed/cache_testing.hpp"
#include "embed/vector_cache.hpp"
#include "support/temp_folder.hpp"

namespace markeval::embed {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t kSize = std::uint64_t{32} << 20;
constexpr std::size_t kItems = 2000;

class DamagedCache : public testing::Test {
 protected:
  void fill() {
    VectorCache cache(folder_.path(), kSize, &log_);
    write_items(cache, 0, kItems);
  }
  void expect_rebuilt(const std::string& reason) {
    {
      VectorCache cache(folder_.path(), kSize, &log_);
      EXPECT_TRUE(cache.active());
      EXPECT_EQ(read_items(cache, range(0, kItems), pool_).right, 0u);
      ASSERT_EQ(log_.warnings.size(), 1u);
      EXPECT_NE(log_.all().find(reason), std::string::npos) << log_.all();
      EXPECT_NE(log_.all().find("vectors.damaged, started anew"), std::string::npos) << log_.all();
      EXPECT_TRUE(fs::exists(folder_.file("vectors.damaged/data.mdb")));
      write_items(cache, 0, kItems);
    }
    VectorCache cache(folder_.path(), kSize, &log_);
    EXPECT_EQ(read_items(cache, range(0, kItems), pool_).right, kItems);
    EXPECT_EQ(log_.warnings.size(), 1u);
  }
  std::string data() const { return folder_.file("vectors/data.mdb"); }
  void overwrite(std::uint64_t offset, const std::string& bytes) const {
    std::fstream file(data(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(offset));
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  std::string noise(std::size_t bytes, std::uint64_t index) const {
    RandomStream random(1, index);
    std::string result(bytes, '\0');
    for (char& one : result) one = static_cast<char>(random.next());
    return result;
  }

  TempFolder folder_;
  RememberingLog log_;
  ThreadPool pool_{2};
};

TEST_F(DamagedCache, GarbageInsteadOfAFileIsReplaced) {
  fs::create_directories(folder_.file("vectors"));
  std::ofstream(data(), std::ios::binary) << noise(100000, 1);
  expect_rebuilt("damaged");
}

TEST_F(DamagedCache, ATruncatedFileIsReplaced) {
  fill();
  fs::resize_file(data(), fs::file_size(data()) / 2 / 4096 * 4096);
  expect_rebuilt("is no tree page");
}

TEST_F(DamagedCache, AFileCutInsideItsHeadIsReplaced) {
  fill();
  fs::resize_file(data(), 5000);
  expect_rebuilt("damaged");
}

TEST_F(DamagedCache, AZeroedFileIsReplaced) {
  fill();
  const auto size = fs::file_size(data());
  overwrite(0, std::string(size, '\0'));
  expect_rebuilt("damaged");
}

TEST_F(DamagedCache, AnotherFormatIsReplaced) {
  fill();
  std::ifstream file(data(), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const std::string format = "markeval vectors 1";
  for (std::size_t at = bytes.find(format); at != std::string::npos; at = bytes.find(format, at + 1)) {
    overwrite(at, "markeval vectors 9");
  }
  expect_rebuilt("its format is 'markeval vectors 9', expected 'markeval vectors 1'");
}

TEST_F(DamagedCache, AnEmptyFileIsANewOne) {
  fs::create_directories(folder_.file("vectors"));
  std::ofstream(data()).close();
  VectorCache cache(folder_.path(), kSize, &log_);
  write_items(cache, 0, 10);
  EXPECT_EQ(read_items(cache, range(0, 10), pool_).right, 10u);
  EXPECT_EQ(log_.all(), "");
}

// Every page in turn is overwritten with noise, zeros, another page or flipped bits; then a whole run reads,
// writes and lets entries go. A child process does it: a crash is a failure of this test, not its end.
TEST_F(DamagedCache, DamageAnywhereGivesNoWrongVectorAndNoCrash) {
  fill();
  const auto pages = fs::file_size(data()) / 4096;
  std::ifstream file(data(), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), {});
  std::size_t rebuilt = 0, kept = 0;
  const std::size_t rounds = std::getenv("MARKEVAL_SOAK_SECONDS") == nullptr ? 32 : 1000;
  for (std::size_t round = 0; round < rounds; ++round) {
    RandomStream random(2, round);
    overwrite(0, whole);
    for (std::size_t spot = 0; spot < 1 + round % 3; ++spot) {
      const auto page = round % 8 < 4 ? round / 8 : random.below(pages);
      std::string bytes = whole.substr(page * 4096, 4096);
      switch (round % 4) {
        case 0:
          bytes = noise(4096, round);
          break;
        case 1:
          bytes.assign(4096, '\0');
          break;
        case 2:
          bytes = whole.substr(random.below(pages) * 4096, 4096);
          break;
        default:
          for (int flip = 0; flip < 8; ++flip)
            bytes[random.below(64)] ^= static_cast<char>(1 << random.below(8));
      }
      overwrite(page * 4096, bytes);
    }
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      RememberingLog log;
      ThreadPool pool(1);
      bool good = true;
      {
        VectorCache cache(folder_.path(), VectorCache::kSmallestMaxBytes, &log);
        good = read_items(cache, range(0, kItems), pool).wrong == 0;
        for (int part = 0; part < 4; ++part)
          write_items(cache, kItems + static_cast<std::size_t>(part) * 100, 100);
        good = good && read_items(cache, range(0, kItems + 400), pool).wrong == 0;
      }
      _exit(!good ? 1 : log.warnings.empty() ? 0 : 2);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << "round " << round << ": killed by signal " << WTERMSIG(status);
    ASSERT_NE(WEXITSTATUS(status), 1) << "round " << round << ": a wrong vector";
    (WEXITSTATUS(status) == 0 ? kept : rebuilt) += 1;
    fs::remove_all(folder_.file("vectors.damaged"));
    fs::remove_all(folder_.file("vectors"));
    fs::create_directories(folder_.file("vectors"));
    std::ofstream(data(), std::ios::binary).close();
  }
  EXPECT_GT(rebuilt, 0u);
  EXPECT_GT(kept, 0u);
}

TEST_F(DamagedCache, AFolderThatCannotBeMadeIsAWarning) {
  const std::string file = folder_.write("file", "in the way");
  VectorCache cache(file + "/cache", kSize, &log_);
  write_items(cache, 0, 10);
  EXPECT_EQ(read_items(cache, range(0, 10), pool_).right, 0u);
  EXPECT_FALSE(cache.active());
  ASSERT_EQ(log_.warnings.size(), 1u);
  EXPECT_EQ(log_.warnings[0], "cache " + file + "/cache: Not a directory; this run goes on without it");
}

TEST_F(DamagedCache, AReadOnlyFolderIsAWarning) {
  fs::permissions(folder_.path(), fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read |
                                      fs::perms::others_exec);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (geteuid() == 0 && seteuid(65534) != 0) _exit(7);  // root may write everywhere
    RememberingLog log;
    const VectorCache cache(folder_.path(), kSize, &log);
    const bool warned = log.all().find("Permission denied; this run goes on without it") != std::string::npos;
    _exit(warned && !cache.active() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  fs::permissions(folder_.path(), fs::perms::owner_all);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// A limit on file sizes stands for a full disk: both make a write fail half-way.
TEST_F(DamagedCache, AFullDiskIsAWarningAndHarmsNothing) {
  fill();
  const auto size = fs::file_size(data());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{size + 64 * 1024, size + 64 * 1024};
    setrlimit(RLIMIT_FSIZE, &limit);
    RememberingLog log;
    ThreadPool pool(1);
    VectorCache cache(folder_.path(), kSize, &log);
    write_items(cache, kItems, 4000);
    write_items(cache, 2 * kItems, 4000);
    const bool warned = log.warnings.size() == 1 && log.all().find("goes on without it") != std::string::npos;
    _exit(warned && !cache.active() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  VectorCache cache(folder_.path(), kSize, &log_);
  const Found found = read_items(cache, range(0, kItems), pool_);
  EXPECT_EQ(found.right, kItems);
  EXPECT_EQ(found.wrong, 0u);
  EXPECT_EQ(log_.all(), "");
}

TEST_F(DamagedCache, ADamagedEntryIsAMissAndWrittenAgain) {
  fill();
  // The numbers of one item, found by their bytes: the entry's page stays sound, its checksum does not.
  const Expected expected = expected_of(1501);
  std::ifstream file(data(), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const std::string numbers(reinterpret_cast<const char*>(expected.values.data()),
                            expected.values.size() * 4);
  const auto at = bytes.find(numbers);
  ASSERT_NE(at, std::string::npos);
  overwrite(at + 100, "!");
  VectorCache cache(folder_.path(), kSize, &log_);
  EXPECT_EQ(read_items(cache, range(0, kItems), pool_).right, kItems - 1);
  EXPECT_EQ(cache.counts().damaged, 1u);
  write_items(cache, 1500, 5);
  EXPECT_EQ(cache.counts().written, 1u);
  EXPECT_EQ(read_items(cache, range(0, kItems), pool_).right, kItems);
}

}  // namespace
}  // namespace markeval::embed
