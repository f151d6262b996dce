// The file of records: an SQLite database in WAL mode. Several processes may read and write it at once, and
// any of them may be killed: a batch is there as a whole or not at all. SQLite checks what it reads, so a
// damaged or crafted file gives an error code, not a crash. Functions give SQLite's result code, 0 = done;
// nothing here throws for what a disk may do.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cache/record.hpp"

namespace markeval::cache {

using Batch = std::vector<std::pair<Key, std::vector<std::byte>>>;  ///< keys and their records

/// One connection, for one thread at a time.
class Database {
 public:
  static constexpr std::size_t kMaxRecordBytes = std::size_t{8} << 20;

  Database() = default;
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Opens the file, makes it where it is missing. The file and its log together stay within `max_bytes`.
  int open(const std::string& path, std::uint64_t max_bytes);
  /// Makes the file an empty one, whatever is in it. Others who have it open see an empty file from then on.
  static int reset(const std::string& path);

  /// The record filed under the key, empty where there is none; valid until the next call. Between
  /// begin_reading() and end_reading() all calls see the same state of the file.
  int find(const Key& key, std::span<const std::byte>& record);
  int begin_reading() { return run("BEGIN"); }
  void end_reading();

  /// All of the batch or nothing of it; the oldest records make room and are counted. SQLITE_BUSY: another
  /// process does not let us, so the batch is not kept.
  int write(const Batch& batch, std::uint64_t& evicted);

  /// The size of the file; it may be above what open() was told if another run was allowed more.
  std::uint64_t bytes();
  /// "disk I/O error (No space left on device)", of the call that failed last.
  std::string message(int code) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  int connect(const std::string& path);
  int check_schema();
  int prepare(const char* sql, Statement& statement);
  int run(const std::string& sql) {
    return sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr);
  }
  int number(const Statement& statement, std::int64_t& value);
  int make_room(std::int64_t coming_bytes, std::uint64_t& evicted);
  int insert(const Batch& batch);
  int bound_log();

  sqlite3* connection_ = nullptr;
  int looks_ = 0;  ///< how much work opening has been
  Statement find_, insert_, evict_, page_count_, free_count_;
  std::int64_t page_size_ = 0;
  std::int64_t max_pages_ = 0;  ///< of the file
  std::string log_path_;
  std::uint64_t max_log_bytes_ = 0;
  bool log_is_held_ = false;  ///< by somebody who did not let go in time
};

/// The file cannot be trusted, as opposed to: the disk is full, the folder is not ours.
bool means_damage(int code);
/// Another process is at it; later it may work.
bool means_busy(int code);

}  // namespace markeval::cache
