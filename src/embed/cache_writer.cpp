#include "embed/cache_writer.hpp"

#include <cstring>

namespace markeval::embed {
namespace {

static_assert(sizeof(std::size_t) == sizeof(std::uint64_t), "LMDB's integer keys are of size_t's width");

std::span<const std::byte> bytes_of(const MDB_val& value) {
  return {static_cast<const std::byte*>(value.mv_data), value.mv_size};
}

class Cursor {
 public:
  Cursor(MDB_txn* transaction, MDB_dbi table) : code_(mdb_cursor_open(transaction, table, &cursor_)) {}
  ~Cursor() {
    if (cursor_ != nullptr) mdb_cursor_close(cursor_);
  }
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;
  int code() const { return code_; }
  MDB_cursor* get() const { return cursor_; }

 private:
  MDB_cursor* cursor_ = nullptr;
  int code_;
};

}  // namespace

MDB_val index_name(const CacheKey& key) {
  static_assert(offsetof(CacheKey, low) == sizeof(std::uint64_t));
  return {2 * sizeof(std::uint64_t), const_cast<std::uint64_t*>(&key.high)};
}

int CacheWriter::write(const CacheBatch& batch) {
  // The map is the hard bound. Pages set free in a transaction serve again in a later one, and the trees need
  // some room to be copied while they change: so the entries themselves get five eighths of it. Going down to
  // that is spread over the batches (at most twice as many entries go as come), so that no batch waits for a
  // long clean-up.
  const std::uint64_t target = max_bytes_ / 8 * 5;
  int code = attempt(batch, target, 2 * batch.size() + 64);
  // Free pages may be held back by readers, or lie scattered: make more room, in a transaction of its own.
  for (int retry = 0; code == MDB_MAP_FULL && retry < 3; ++retry) {
    code = attempt(CacheBatch{}, target / 2, 4 * batch.size() + 1024);
    if (code == 0) code = attempt(batch, target, 0);
  }
  return code == MDB_MAP_FULL ? 0 : code;  // then this batch is not kept
}

int CacheWriter::attempt(const CacheBatch& batch, std::uint64_t max_used_bytes, std::size_t max_evictions) {
  const std::uint64_t written_before = written_, evicted_before = evicted_;
  int code = 0;
  try {
    code = attempt_unguarded(batch, max_used_bytes, max_evictions);
  } catch (const LmdbAssertion&) {
    code = kDamaged;
  }
  if (code != 0) written_ = written_before, evicted_ = evicted_before;
  return code;
}

int CacheWriter::attempt_unguarded(const CacheBatch& batch, std::uint64_t max_used_bytes,
                                   std::size_t max_evictions) {
  CacheTransaction transaction(database_, CacheTransaction::Kind::write);
  if (transaction.status() != 0) return transaction.status();
  bool gone = false;
  if (database_.fault(mdb_txn_id(transaction.get()) - 1, max_evictions + 2, gone)) return kDamaged;
  int code = 0;
  {
    const Cursor rows(transaction.get(), database_.rows());
    code = rows.code();
    const std::uint64_t coming = batch.bytes() + batch.bytes() / 4;
    const std::uint64_t allowed = max_used_bytes > coming ? max_used_bytes - coming : 0;
    if (code == 0) code = evict(transaction.get(), rows.get(), allowed, max_evictions);
    std::uint64_t next = 0;
    if (code == 0) {
      MDB_val key{}, value{};
      code = mdb_cursor_get(rows.get(), &key, &value, MDB_LAST);
      if (code == 0 && key.mv_size == sizeof(next)) {
        std::memcpy(&next, key.mv_data, sizeof(next));
        ++next;
      } else if (code == MDB_NOTFOUND) {
        code = 0;
      }
    }
    for (std::size_t index = 0; index < batch.size() && code == 0; ++index) {
      code = insert(transaction.get(), rows.get(), batch.key(index), batch.record(index), next);
    }
  }
  return code == 0 ? transaction.commit() : code;
}

std::uint64_t CacheWriter::used_bytes(MDB_txn* transaction) const {
  std::uint64_t pages = 0;
  for (const MDB_dbi table : {database_.index(), database_.rows()}) {
    MDB_stat stat{};
    if (mdb_stat(transaction, table, &stat) == 0) {
      pages += stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages;
    }
  }
  return pages * database_.page_size();
}

int CacheWriter::evict(MDB_txn* transaction, MDB_cursor* rows, std::uint64_t max_used_bytes,
                       std::size_t max_evictions) {
  for (std::size_t count = 0; count < max_evictions && used_bytes(transaction) > max_used_bytes; ++count) {
    MDB_val sequence{}, record{};
    int code = mdb_cursor_get(rows, &sequence, &record, MDB_FIRST);
    if (code == MDB_NOTFOUND) return 0;
    if (code != 0) return code;
    // The index may by now name a newer record of the same key: then that name stays.
    if (const auto key = record_key(bytes_of(record))) {
      MDB_val name = index_name(*key), named{};
      code = mdb_get(transaction, database_.index(), &name, &named);
      if (code == 0 && named.mv_size == sequence.mv_size &&
          std::memcmp(named.mv_data, sequence.mv_data, sequence.mv_size) == 0) {
        code = mdb_del(transaction, database_.index(), &name, nullptr);
      }
      if (code != 0 && code != MDB_NOTFOUND) return code;
    }
    if (code = mdb_cursor_del(rows, 0); code != 0) return code;
    ++evicted_;
  }
  return 0;
}

int CacheWriter::insert(MDB_txn* transaction, MDB_cursor* rows, const CacheKey& key,
                        std::span<const std::byte> record, std::uint64_t& next_sequence) {
  MDB_val name = index_name(key);
  MDB_val named{};
  int code = mdb_get(transaction, database_.index(), &name, &named);
  if (code == 0 &&
      named.mv_size == sizeof(std::uint64_t)) {  // another process was faster, or the old one is damaged
    std::uint64_t sequence = 0;
    std::memcpy(&sequence, named.mv_data, sizeof(sequence));
    MDB_val old_sequence{sizeof(sequence), &sequence};
    MDB_val old{};
    code = mdb_get(transaction, database_.rows(), &old_sequence, &old);
    if (code == 0 && read_record(bytes_of(old), key)) return 0;
    // A damaged record stays where it is, unnamed, until its turn to go.
  }
  if (code != 0 && code != MDB_NOTFOUND) return code;
  MDB_val sequence{sizeof(next_sequence), &next_sequence};
  MDB_val value{record.size(), const_cast<std::byte*>(record.data())};
  if (code = mdb_cursor_put(rows, &sequence, &value, MDB_APPEND); code != 0) return code;
  value = sequence;
  if (code = mdb_put(transaction, database_.index(), &name, &value, 0); code != 0) return code;
  ++next_sequence;
  ++written_;
  return 0;
}

}  // namespace markeval::embed
