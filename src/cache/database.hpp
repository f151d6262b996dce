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

#include "base/parallel.hpp"
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

  /// Opens the file, makes it where it is missing; no part of `path` may be a symbolic link, so that nothing
  /// outside the folder is ever emptied. The file and its log together stay within `max_bytes`.
  int open(const std::string& path, std::uint64_t max_bytes);
  /// Makes the file an empty one, whatever is in it. Others who have it open see an empty file from then on.
  static int reset(const std::string& path);

  /// Is given the number of a key and its record, valid during the call only.
  using Visit = FunctionRef<void(std::size_t index, std::span<const std::byte> record)>;
  /// Calls `visit` for every key that is there, all of them as they were at one moment.
  int read(std::span<const Key> keys, Visit visit);

  /// All of the batch or nothing of it. The oldest records make room.
  int write(const Batch& batch);

  /// "disk I/O error (No space left on device)", of the call that failed last.
  std::string message(int code) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  int connect(const std::string& path);
  int check_schema();
  int read_schema(std::string& found);
  int prepare(const char* sql, Statement& statement);
  int run(const std::string& sql) {
    return sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr);
  }
  int bound_log();
  int empty_log();
  int count_pages(std::int64_t& all, std::int64_t& unused);
  int make_room(std::int64_t coming_bytes);

  sqlite3* connection_ = nullptr;
  Statement find_, insert_, evict_, count_pages_;
  std::int64_t max_pages_ = 0;  ///< of the file
  std::string log_path_;
  std::uint64_t max_log_bytes_ = 0;
};

/// The file cannot be trusted, as opposed to: the disk is full, the folder is not ours.
bool means_damage(int code);

}  // namespace markeval::cache
