// Puts a batch of records into the cache in one transaction and lets the oldest go where space is short.
#pragma once

#include <lmdb.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "embed/cache_database.hpp"
#include "embed/cache_record.hpp"

namespace markeval::embed {

/// Records waiting to be written, already in the form the disk gets.
class CacheBatch {
 public:
  void add(const CacheKey& key, MatrixView<const float> rows, std::uint64_t note) {
    append_record(key, rows, note, bytes_);
    keys_.push_back(key);
    ends_.push_back(bytes_.size());
  }
  void clear() { keys_.clear(), ends_.clear(), bytes_.clear(); }
  bool empty() const { return keys_.empty(); }
  std::size_t size() const { return keys_.size(); }
  std::size_t bytes() const { return bytes_.size(); }
  const CacheKey& key(std::size_t index) const { return keys_[index]; }
  std::span<const std::byte> record(std::size_t index) const {
    const std::size_t start = index == 0 ? 0 : ends_[index - 1];
    return std::span(bytes_).subspan(start, ends_[index] - start);
  }

 private:
  std::vector<CacheKey> keys_;
  std::vector<std::size_t> ends_;
  std::vector<std::byte> bytes_;
};

class CacheWriter {
 public:
  CacheWriter(CacheDatabase& database, std::uint64_t max_bytes)
      : database_(database), max_bytes_(max_bytes) {}

  /// All of the batch or nothing of it. Gives LMDB's code; kDamaged where the file is found damaged.
  int write(const CacheBatch& batch);

  std::uint64_t written() const { return written_; }
  std::uint64_t evicted() const { return evicted_; }

 private:
  int attempt(const CacheBatch& batch, std::uint64_t max_used_bytes, std::size_t max_evictions);
  int attempt_unguarded(const CacheBatch& batch, std::uint64_t max_used_bytes, std::size_t max_evictions);
  int evict(MDB_txn* transaction, MDB_cursor* rows, std::uint64_t max_used_bytes, std::size_t max_evictions);
  int insert(MDB_txn* transaction, MDB_cursor* rows, const CacheKey& key, std::span<const std::byte> record,
             std::uint64_t& next_sequence);
  std::uint64_t used_bytes(MDB_txn* transaction) const;

  CacheDatabase& database_;
  std::uint64_t max_bytes_;
  std::uint64_t written_ = 0, evicted_ = 0;
};

/// What an entry is found by.
MDB_val index_name(const CacheKey& key);

}  // namespace markeval::embed
