// Allocations of SQLite that fail when a test wants them to.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <limits>

namespace markeval {

/// While it lives, no connection may have been open when it was made, and none may be when it ends.
class SqliteMemory {
 public:
  SqliteMemory() {
    sqlite3_shutdown();
    EXPECT_EQ(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real), SQLITE_OK);
    sqlite3_mem_methods failing = real;
    failing.xMalloc = [](int bytes) { return fails() ? nullptr : real.xMalloc(bytes); };
    failing.xRealloc = [](void* old, int bytes) { return fails() ? nullptr : real.xRealloc(old, bytes); };
    EXPECT_EQ(sqlite3_config(SQLITE_CONFIG_MALLOC, &failing), SQLITE_OK);
    sqlite3_initialize();
  }
  ~SqliteMemory() {
    sqlite3_shutdown();
    sqlite3_config(SQLITE_CONFIG_MALLOC, &real);
    sqlite3_initialize();
  }
  SqliteMemory(const SqliteMemory&) = delete;
  SqliteMemory& operator=(const SqliteMemory&) = delete;

  /// The `number`th allocation from now on fails; `for_long`: and the 50 after it.
  static void fail_at(long number, bool for_long) {
    calls = 0;
    last = for_long ? number + 50 : number;
    first = number;
  }
  static void never_fail() { first = kNever; }
  /// Whether it was reached.
  static bool has_failed() { return calls >= first; }

 private:
  static constexpr long kNever = std::numeric_limits<long>::max();

  static bool fails() {
    const long call = ++calls;
    return call >= first && call <= last;
  }

  static inline sqlite3_mem_methods real{};
  static inline std::atomic<long> calls{0}, first{kNever}, last{0};
};

}  // namespace markeval
