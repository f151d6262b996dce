#include "cache/vector_cache.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "cache/database.hpp"
#include "cache/folder.hpp"

namespace markeval::cache {
namespace {

constexpr std::size_t kKeysPerRead = 512;
constexpr const char* kWithoutIt = "; this run goes on without it";

}  // namespace

struct VectorCache::State {
  std::string folder, path;
  std::uint64_t max_bytes = 0;
  std::size_t batch_bytes = 0;  ///< and of the largest record
  LogSink* log = nullptr;

  std::atomic<bool> usable{false};
  std::atomic<std::uint64_t> hits{0}, misses{0}, written{0}, evicted{0}, damaged{0};

  std::mutex mutex;  // of all that follows
  std::vector<std::unique_ptr<Database>> idle;
  std::vector<std::string> unsaid;  ///< warnings of threads that may not call the log
  bool warned_of_others = false;
  std::thread writer;
  std::condition_variable changed;  ///< one of those below
  Batch pending;
  std::size_t pending_bytes = 0;
  bool writing = false;
  std::size_t flushing = 0;  ///< how many wait until all is written
  bool closing = false;

  /// Under the mutex.
  void give_up(const std::string& reason) {
    if (usable.exchange(false)) unsaid.push_back(reason + kWithoutIt);
  }

  void failed(int code, const Database& database) {
    const std::lock_guard lock(mutex);
    if (means_busy(code)) {
      if (!std::exchange(warned_of_others, true))
        unsaid.push_back("another process keeps it busy; some vectors are computed again");
    } else if (usable && means_damage(code)) {
      const bool emptied = Database::reset(path) == SQLITE_OK;
      give_up("damaged (" + database.message(code) + (emptied ? "), emptied" : "), delete the folder"));
    } else {
      give_up(database.message(code));
    }
  }

  /// Says what is to be said, on the thread of a caller.
  void speak() {
    std::vector<std::string> messages;
    {
      const std::lock_guard lock(mutex);
      messages.swap(unsaid);
    }
    if (log == nullptr) return;
    for (const std::string& message : messages) log->warning("cache " + folder + ": " + message);
  }

  void open() {
    usable = true;
    if (const std::string reason = prepare_folder(folder, log); !reason.empty()) return give_up(reason);
    std::error_code ignored;
    path = (std::filesystem::absolute(folder, ignored) / "vectors.sqlite").string();
    auto database = std::make_unique<Database>();
    int code = database->open(path, max_bytes);
    if (means_damage(code)) {
      unsaid.push_back("it was damaged (" + database->message(code) + "): started anew");
      database = std::make_unique<Database>();
      code = Database::reset(path);
      if (code == 0) code = database->open(path, max_bytes);
    }
    if (code != 0) return give_up(database->message(code));
    if (const std::uint64_t bytes = database->bytes(); bytes > max_bytes && log != nullptr) {
      log->info("cache " + folder + ": " + std::to_string(bytes >> 20) + " MiB, more than the " +
                std::to_string(max_bytes >> 20) + " MiB allowed; the oldest entries go as new ones come");
    }
    idle.push_back(std::move(database));
  }

  /// A connection nobody uses at this moment, or a new one; none where that failed.
  std::unique_ptr<Database> take() {
    std::unique_ptr<Database> database;
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        database = std::move(idle.back());
        idle.pop_back();
        return database;
      }
    }
    database = std::make_unique<Database>();
    if (const int code = database->open(path, max_bytes); code != 0) {
      failed(code, *database);
      database.reset();
    }
    return database;
  }
  void give_back(std::unique_ptr<Database> database) {
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(database));
  }

  std::size_t read_part(std::span<const Key> keys, std::size_t first, Accept accept) {
    std::unique_ptr<Database> database = take();
    if (database == nullptr) return 0;
    std::size_t accepted = 0;
    CachedMatrix matrix;
    int code = database->begin_reading();
    for (std::size_t index = 0; index < keys.size() && code == 0; ++index) {
      std::span<const std::byte> record;
      code = database->find(keys[index], record);
      if (record.empty()) continue;
      if (!read_record(record, keys[index], matrix)) {
        ++damaged;
      } else if (accept(first + index, matrix.view(), matrix.note)) {
        ++accepted;
      }
    }
    database->end_reading();
    if (code != 0) failed(code, *database);
    give_back(std::move(database));
    return accepted;
  }

  /// False where no thread can be had. Under the mutex.
  bool start_writer() {
    if (writer.joinable()) return true;
    try {
      writer = std::thread([this] { write_batches(); });
    } catch (const std::system_error& error) {
      give_up("no thread to write it (" + error.code().message() + ")");
    }
    return writer.joinable();
  }

  void write_batches() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] {
        return pending_bytes >= batch_bytes || (flushing > 0 && !pending.empty()) || closing;
      });
      if (pending.empty()) return;  // closing
      const Batch batch = std::exchange(pending, {});
      pending_bytes = 0;
      writing = true;
      lock.unlock();
      changed.notify_all();
      if (usable) write_batch(batch);
      lock.lock();
      writing = false;
      changed.notify_all();
    }
  }

  void write_batch(const Batch& batch) {
    std::unique_ptr<Database> database = take();
    if (database == nullptr) return;
    std::uint64_t gone = 0;
    if (const int code = database->write(batch, gone); code != 0) {
      failed(code, *database);
    } else {
      written += batch.size();
      evicted += gone;
    }
    give_back(std::move(database));
  }
};

VectorCache::VectorCache(const std::string& folder, std::uint64_t max_bytes, LogSink* log)
    : state_(std::make_unique<State>()) {
  if (max_bytes < kSmallestMaxBytes) {
    throw_usage("cache size " + std::to_string(max_bytes) + " bytes, expected at least " +
                std::to_string(kSmallestMaxBytes));
  }
  if (folder == "none") return;
  state_->folder = folder;
  state_->max_bytes = max_bytes;
  state_->batch_bytes = std::min<std::size_t>(Database::kMaxRecordBytes, max_bytes / 32);
  state_->log = log;
  state_->open();
  state_->speak();
}

VectorCache::~VectorCache() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closing = true;
  }
  state_->changed.notify_all();
  if (state_->writer.joinable()) state_->writer.join();
  state_->speak();
}

bool VectorCache::active() const {
  return state_->usable;
}

CacheCounts VectorCache::counts() const {
  return {state_->hits, state_->misses, state_->written, state_->evicted, state_->damaged};
}

std::size_t VectorCache::read(std::span<const Key> keys, ThreadPool& pool, Accept accept) {
  std::atomic<std::size_t> hits{0};
  const std::size_t parts = state_->usable ? (keys.size() + kKeysPerRead - 1) / kKeysPerRead : 0;
  pool.for_each(parts, [&](std::size_t part, std::size_t) {
    const std::size_t first = part * kKeysPerRead;
    if (!state_->usable) return;
    hits +=
        state_->read_part(keys.subspan(first, std::min(kKeysPerRead, keys.size() - first)), first, accept);
  });
  state_->hits += hits;
  state_->misses += keys.size() - hits;
  state_->speak();
  return hits;
}

void VectorCache::write(const Key& key, MatrixView<const float> rows, std::uint64_t note) {
  if (!state_->usable) return;
  // One record may not push out a large part of the cache.
  auto record = make_record(key, rows, note, state_->batch_bytes);
  if (!record) return;
  {
    std::unique_lock lock(state_->mutex);
    if (state_->start_writer()) {
      state_->changed.wait(lock, [&] { return state_->pending_bytes < state_->batch_bytes; });
      state_->pending_bytes += record->size();
      state_->pending.emplace_back(key, std::move(*record));
      if (state_->pending_bytes >= state_->batch_bytes) state_->changed.notify_all();
    }
  }
  state_->speak();
}

void VectorCache::flush() {
  {
    std::unique_lock lock(state_->mutex);
    ++state_->flushing;
    state_->changed.notify_all();
    state_->changed.wait(lock, [&] { return state_->pending.empty() && !state_->writing; });
    --state_->flushing;
  }
  state_->speak();
}

}  // namespace markeval::cache
