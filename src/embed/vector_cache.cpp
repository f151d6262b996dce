#include "embed/vector_cache.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <limits>
#include <mutex>
#include <vector>

#include "base/error.hpp"
#include "embed/cache_database.hpp"
#include "embed/cache_folder.hpp"
#include "embed/cache_writer.hpp"

namespace markeval::embed {
namespace {

constexpr std::size_t kKeysPerRead = 512;
constexpr std::size_t kBatchBytes = std::size_t{8} << 20;

/// Which part of the mapped file was looked at. Pages touched stay counted as this process's memory although
/// the kernel can take them back at any time; giving them back at once keeps a long run as small as a short
/// one.
class TouchedPages {
 public:
  void add(std::span<const std::byte> record) {
    const auto start = reinterpret_cast<std::uintptr_t>(record.data());
    first_ = std::min(first_, start);
    last_ = std::max(last_, start + record.size());
  }
  /// Others who read there at this moment fetch the pages again from the kernel; nothing is lost.
  void give_back(std::size_t page_size) const {
    if (first_ >= last_) return;
    const std::uintptr_t start = first_ / page_size * page_size;
    madvise(reinterpret_cast<void*>(start), last_ - start, MADV_DONTNEED);
  }

 private:
  std::uintptr_t first_ = std::numeric_limits<std::uintptr_t>::max(), last_ = 0;
};

/// Looks up keys one after the other within one snapshot.
class Reader {
 public:
  explicit Reader(CacheDatabase& database)
      : database_(database),
        transaction_(database, CacheTransaction::Kind::read),
        code_(transaction_.status()) {
    if (code_ == 0) code_ = mdb_cursor_open(transaction_.get(), database.rows(), &rows_);
  }
  ~Reader() {
    if (rows_ != nullptr) mdb_cursor_close(rows_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  int code() const { return code_; }

  /// The record filed under the key, or nothing; code() says whether that was a failure.
  std::optional<std::span<const std::byte>> find(const CacheKey& key) {
    MDB_val name = index_name(key);
    MDB_val found{};
    code_ = mdb_get(transaction_.get(), database_.index(), &name, &found);
    if (code_ == 0 && found.mv_size != sizeof(std::uint64_t)) code_ = kDamaged;
    if (code_ == 0) {
      std::uint64_t sequence = 0;
      std::memcpy(&sequence, found.mv_data, sizeof(sequence));
      MDB_val row{sizeof(sequence), &sequence};
      code_ = mdb_cursor_get(rows_, &row, &found, MDB_SET_KEY);
    }
    if (code_ == MDB_NOTFOUND) code_ = 0, found = {};
    if (code_ != 0 || found.mv_data == nullptr) return std::nullopt;
    return std::span(static_cast<const std::byte*>(found.mv_data), found.mv_size);
  }

 private:
  CacheDatabase& database_;
  CacheTransaction transaction_;
  MDB_cursor* rows_ = nullptr;
  int code_;
};

}  // namespace

struct VectorCache::State {
  std::string folder;
  std::uint64_t max_bytes = 0;
  LogSink* log = nullptr;
  std::shared_ptr<CacheDatabase> database;

  std::atomic<bool> usable{false};
  std::atomic<std::uint64_t> hits{0}, misses{0}, written{0}, evicted{0}, damaged{0};

  std::mutex mutex;  // of what follows, and of the log
  CacheBatch pending;
  bool warned_of_readers = false;

  void warn(const std::string& message) const {
    if (log != nullptr) log->warning("cache " + folder + ": " + message);
  }

  /// Nothing more is read or written in this run. Under the mutex.
  void give_up(int code) {
    if (!usable.exchange(false)) return;
    pending.clear();
    if (means_damage(code)) {
      CacheFolder::move_aside(folder, *database);
      warn("damaged (" + describe(code) + "); moved to vectors.damaged, this run goes on without it");
    } else {
      warn(describe(code) + "; this run goes on without it");
    }
  }

  void failed(int code) {
    const std::lock_guard lock(mutex);
    if (code != MDB_READERS_FULL) return give_up(code);
    if (!std::exchange(warned_of_readers, true))
      warn("too many readers at once; some vectors are encoded again");
  }

  std::size_t read_part(std::span<const CacheKey> keys, std::size_t first,
                        FunctionRef<bool(std::size_t index, const CachedRows& rows)> accept) {
    Reader reader(*database);
    TouchedPages touched;
    std::size_t accepted = 0;
    for (std::size_t index = 0; index < keys.size() && reader.code() == 0; ++index) {
      const auto record = reader.find(keys[index]);
      if (!record) continue;
      touched.add(*record);
      const auto rows = read_record(*record, keys[index]);
      if (!rows) ++damaged;
      if (rows && accept(first + index, *rows)) ++accepted;
    }
    if (reader.code() != 0) failed(reader.code());
    touched.give_back(database->page_size());  // while the snapshot keeps the map in place
    return accepted;
  }

  void flush_locked() {
    if (pending.empty() || !usable) return;
    CacheWriter writer(*database, max_bytes);
    const int code = writer.write(pending);
    pending.clear();
    written += writer.written();
    evicted += writer.evicted();
    if (code != 0) give_up(code);
  }
};

VectorCache::VectorCache(const std::string& folder, std::uint64_t max_bytes, LogSink* log)
    : state_(std::make_unique<State>()) {
  if (max_bytes < kSmallestMaxBytes) {
    throw_usage("cache size " + std::to_string(max_bytes) + " bytes, expected at least " +
                std::to_string(kSmallestMaxBytes));
  }
  state_->folder = folder;
  state_->max_bytes = max_bytes;
  state_->log = log;
  if (folder == "none") return;
  std::string note;
  const int code = CacheFolder::open(folder, max_bytes, state_->database, note);
  state_->usable = code == 0;
  if (code != 0) note += "; this run goes on without it";
  if (!note.empty()) state_->warn(note);
}

VectorCache::~VectorCache() {
  flush();
  CacheFolder::release(state_->database);
}

bool VectorCache::active() const {
  return state_->usable;
}

CacheCounts VectorCache::counts() const {
  return {state_->hits, state_->misses, state_->written, state_->evicted, state_->damaged};
}

std::size_t VectorCache::read(std::span<const CacheKey> keys, ThreadPool& pool,
                              FunctionRef<bool(std::size_t index, const CachedRows& rows)> accept) {
  std::atomic<std::size_t> hits{0};
  if (state_->usable) {
    pool.for_each((keys.size() + kKeysPerRead - 1) / kKeysPerRead, [&](std::size_t part, std::size_t) {
      const std::size_t first = part * kKeysPerRead;
      try {
        hits += state_->read_part(keys.subspan(first, std::min(kKeysPerRead, keys.size() - first)), first,
                                  accept);
      } catch (const LmdbAssertion&) {
        state_->failed(kDamaged);
      }
    });
  }
  state_->hits += hits;
  state_->misses += keys.size() - hits;
  return hits;
}

void VectorCache::write(const CacheKey& key, MatrixView<const float> rows, std::uint64_t note) {
  if (!state_->usable) return;
  const std::lock_guard lock(state_->mutex);
  const std::size_t bytes = record_bytes(rows.rows(), rows.columns());
  const std::size_t batch_bytes = std::min<std::size_t>(kBatchBytes, state_->max_bytes / 16);
  if (bytes > batch_bytes) return;  // one text may not push out a large part of the cache
  state_->pending.add(key, rows, note);
  if (state_->pending.bytes() >= batch_bytes) state_->flush_locked();
}

void VectorCache::flush() {
  const std::lock_guard lock(state_->mutex);
  state_->flush_locked();
}

}  // namespace markeval::embed
