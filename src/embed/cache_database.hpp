// The cache's LMDB file: opened once per process however many ask for it (LMDB demands that), shared with
// other processes, looked over before it is trusted. Functions return LMDB's code, 0 = done; nothing here
// throws for what a disk may do.
//
// What can be lost. Writes go through MDB_NOMETASYNC: the pages of a transaction are on the disk before the
// meta page that leads to them is written, so a power cut undoes at most the last batch and never leaves half
// of one. `kill -9` loses nothing that was committed: what was written is the kernel's, and the dead writer's
// lock is a robust mutex that the next writer takes over. (MDB_NOSYNC would save one fdatasync per 8 MiB and
// could leave a tree whose pages never arrived; MDB_WRITEMAP would let any stray pointer write into the
// file.)
#pragma once

#include <lmdb.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>

namespace markeval::embed {

/// A code of our own beside LMDB's (which are negative) and errno's (positive): the file is not what it must
/// be.
inline constexpr int kDamaged = -1;

/// LMDB found a page that contradicts itself. It would end the program; its hook must not return, so this is
/// thrown through its C frames, which carry unwind tables on every platform we build for. Caught where a
/// transaction ends.
struct LmdbAssertion {};

class CacheDatabase {
 public:
  ~CacheDatabase();
  CacheDatabase(const CacheDatabase&) = delete;
  CacheDatabase& operator=(const CacheDatabase&) = delete;

  MDB_env* environment() const { return environment_; }
  MDB_dbi index() const { return index_; }  ///< 128-bit key -> sequence number
  MDB_dbi rows() const { return rows_; }    ///< sequence number -> record; the smallest is the oldest
  std::size_t page_size() const { return page_size_; }
  /// Checks the pages a writer will change. For a snapshot the caller holds: see LmdbPages.
  std::optional<std::string> fault(std::uint64_t transaction, std::size_t oldest_rows,
                                   bool& snapshot_gone) const;

 private:
  friend class CacheFolder;
  friend class CacheTransaction;
  CacheDatabase() = default;
  int open(const std::string& folder, std::uint64_t max_bytes, std::string& detail);
  int open_tables(std::string& detail);
  int check_pages(std::string& detail);

  MDB_env* environment_ = nullptr;
  MDB_dbi index_ = 0, rows_ = 0;
  std::size_t page_size_ = 0;
  std::shared_mutex map_mutex_;  ///< shared: a transaction is open; exclusive: the map is being exchanged
};

/// A transaction, undone unless committed. One per thread at a time.
class CacheTransaction {
 public:
  enum class Kind { read, write };
  CacheTransaction(CacheDatabase& database, Kind kind);
  ~CacheTransaction();
  CacheTransaction(const CacheTransaction&) = delete;
  CacheTransaction& operator=(const CacheTransaction&) = delete;

  int status() const { return status_; }  ///< 0: it began
  MDB_txn* get() const { return transaction_; }
  int commit();

 private:
  std::shared_lock<std::shared_mutex> map_lock_;
  MDB_txn* transaction_ = nullptr;
  int status_ = 0;
};

/// "No space left on device", "MDB_CORRUPTED: ...".
std::string describe(int code);
/// The file cannot be trusted, as opposed to: the disk is full, the folder is not ours.
bool means_damage(int code);

}  // namespace markeval::embed
