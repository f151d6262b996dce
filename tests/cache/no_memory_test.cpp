// SQLite without memory: a cache that is whole stays whole, and what comes back from it is right.
#include <gtest/gtest.h>

#include "cache/cache_testing.hpp"
#include "support/sqlite_memory.hpp"
#include "support/temp_folder.hpp"

namespace markeval::cache {
namespace {

constexpr std::size_t kHeldItems = 12;

class CacheWithoutMemory : public ::testing::TestWithParam<bool> {
 protected:
  CacheWithoutMemory() {
    VectorCache cache(folder_.path(), kSmall, &log_);
    write_items(cache, 0, kHeldItems);
  }
  /// Calls `body` with the first allocation failing, the second, ... until it is through without one.
  template <typename Body>
  void at_every_allocation(const Body& body) {
    for (long number = 1, more = 1; more > 0 && number < 20'000; number += 1 + number / 12) {
      SqliteMemory::fail_at(number, GetParam());
      body();
      more = SqliteMemory::has_failed();
      SqliteMemory::never_fail();
      ASSERT_EQ(log_.all(), "") << "allocation " << number;
      VectorCache cache(folder_.path(), kSmall, &log_);
      const Found found = read_items(cache, range(0, kHeldItems), pool_);
      ASSERT_EQ(found.right, kHeldItems) << "allocation " << number;
      ASSERT_EQ(log_.all(), "") << "allocation " << number;
    }
  }

  const SqliteMemory memory_;
  const TempFolder folder_;
  RememberingLog log_;
  ThreadPool pool_{1};
};

TEST_P(CacheWithoutMemory, IsNotTakenForADamagedOneWhenRead) {
  at_every_allocation([&] {
    VectorCache cache(folder_.path(), kSmall, &log_);
    EXPECT_EQ(read_items(cache, range(0, kHeldItems), pool_).wrong, 0u);
  });
}

TEST_P(CacheWithoutMemory, IsNotTakenForADamagedOneWhenWritten) {
  at_every_allocation([&] {
    VectorCache cache(folder_.path(), kSmall, &log_);
    write_items(cache, kHeldItems, kHeldItems);
  });
}

TEST_P(CacheWithoutMemory, IsUsedAgainWhenThereIsMemory) {
  VectorCache cache(folder_.path(), kSmall, &log_);
  SqliteMemory::fail_at(1, GetParam());
  read_items(cache, range(0, kHeldItems), pool_);
  SqliteMemory::never_fail();
  EXPECT_EQ(read_items(cache, range(0, kHeldItems), pool_).right, kHeldItems);
  EXPECT_EQ(log_.all(), "");
}

INSTANTIATE_TEST_SUITE_P(OnceAndForLong, CacheWithoutMemory, ::testing::Bool());

}  // namespace
}  // namespace markeval::cache
