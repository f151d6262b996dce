// A pool of database connections, batches written by a background thread, and the single warning after which
// the cache is off.
#include "cache/vector_cache.hpp"

#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <future>
#include <mutex>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/packing.hpp"
#include "cache/database.hpp"

namespace markeval::cache {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kKeysPerRead = 512;
/// What is found there and can be read as a database of another program stays; else it may be emptied.
constexpr const char* kFileName = "markeval-cache.sqlite";

/// Processes share the log through memory and locks. Machines do not share memory, and FUSE promises neither.
constexpr std::pair<std::uint32_t, const char*> kRemoteFileSystems[] = {
    {0x6969, "NFS"},        {0x517B, "SMB"},      {0xFF534D42, "SMB"},    {0xFE534D42, "SMB"},
    {0x5346414F, "AFS"},    {0x6B414653, "AFS"},  {0x0BD00BD0, "Lustre"}, {0x47504653, "GPFS"},
    {0x19830326, "BeeGFS"}, {0x00C36400, "Ceph"}, {0x01021997, "9P"},     {0x65735546, "FUSE"}};

/// Makes the folder where it is missing. Gives back why no cache can be kept there, or an empty string.
std::string prepare_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return error.message();
  if (faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) return std::strerror(errno);
  struct statfs status {};
  if (statfs(folder.c_str(), &status) != 0) return std::strerror(errno);
  for (const auto& [type, name] : kRemoteFileSystems) {
    if (static_cast<std::uint32_t>(status.f_type) != type) continue;
    return std::string("it lies on ") + name +
           ", where processes may not share locks; set MARKEVAL_CACHE to a local folder";
  }
  return {};
}

}  // namespace

struct VectorCache::State {
  std::string folder, path;
  std::uint64_t max_bytes = 0;
  std::size_t batch_bytes = 0;  ///< and of the largest record
  LogSink* log = nullptr;

  struct KeyHash {
    std::size_t operator()(const Key& key) const { return static_cast<std::size_t>(key.high); }
  };
  std::optional<std::unordered_map<Key, std::span<const std::byte>, KeyHash>> carried;

  std::atomic<bool> usable{false};

  std::mutex mutex;  ///< guards these two
  std::vector<std::unique_ptr<Database>> idle;
  std::string warning;  ///< not said yet, because it came up on a thread that may not call the log

  std::mutex batch_mutex;  ///< guards these four; the writing thread never takes it
  Batch next, current;     ///< one is filled while the other is written
  std::size_t next_bytes = 0;
  std::future<void> writing;

  void open() {
    warning = prepare_folder(folder);
    if (!warning.empty()) return;
    std::error_code ignored;
    if (log != nullptr && fs::exists(fs::path(folder) / "vectors" / "data.mdb", ignored)) {
      log->info("cache " + folder + ": its folder vectors is of version 0.1.0; nothing reads it, delete it");
    }
    usable = true;
    path = fs::canonical(folder, ignored) / kFileName;
    auto database = std::make_unique<Database>();
    int code = database->open(path, max_bytes);
    if (means_damage(code)) {
      if (log != nullptr)
        log->warning("cache " + folder + ": damaged (" + database->message(code) + "), started anew");
      database = std::make_unique<Database>();
      code = Database::reset(path);
      if (code == 0) code = database->open(path, max_bytes);
    }
    if (code != 0) return failed(code, *database);
    idle.push_back(std::move(database));
  }

  /// The end of the cache for this run; of the file only if it is damaged. Memory that ran out may be back
  /// when the next batch comes.
  void failed(int code, const Database& database) {
    if ((code & 0xff) == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM) return;
    const std::lock_guard lock(mutex);
    if (!usable.exchange(false)) return;
    warning = database.message(code);
    if (!means_damage(code)) return;
    const bool emptied = Database::reset(path) == SQLITE_OK;
    warning = "damaged (" + warning + (emptied ? "), emptied" : "), delete the folder");
  }

  /// Says what is to be said, on the thread of a caller.
  void speak() {
    std::string message;
    {
      const std::lock_guard lock(mutex);
      message.swap(warning);
    }
    if (log == nullptr || message.empty()) return;
    log->warning("cache " + folder + ": " + message + "; this run goes on without it");
  }

  /// Lends `work` a connection nobody uses at this moment, or a new one. Neither is there once something went
  /// wrong.
  void with_database(FunctionRef<int(Database&)> work) {
    if (!usable) return;
    std::unique_ptr<Database> database;
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        database = std::move(idle.back());
        idle.pop_back();
      }
    }
    int code = SQLITE_OK;
    if (database == nullptr) {
      database = std::make_unique<Database>();
      code = database->open(path, max_bytes);
    }
    if (code == SQLITE_OK) code = work(*database);
    if (code != SQLITE_OK) return failed(code, *database);
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(database));
  }

  /// Waits for the batch before. Under batch_mutex.
  void start_writing() {
    if (writing.valid()) writing.wait();
    current = std::exchange(next, {});
    next_bytes = 0;
    const auto write = [this] { with_database([&](Database& database) { return database.write(current); }); };
    try {
      writing = std::async(std::launch::async, write);
    } catch (const std::system_error&) {  // no thread to be had
      write();
    }
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

VectorCache::VectorCache(std::span<const std::string_view> carried) : state_(std::make_unique<State>()) {
  state_->carried.emplace();
  for (const std::string_view packed : carried) {
    for (Unpacker bytes(packed); !bytes.done();) {
      const std::span<const std::byte> record = std::as_bytes(std::span(bytes.text()));
      const std::optional<Key> key = key_of(record);
      if (!key) throw_invalid("carried vectors: damaged");
      state_->carried->emplace(*key, record);
    }
  }
}

VectorCache::~VectorCache() {
  try {
    flush();
  } catch (const std::exception&) {  // no memory: the last vectors are computed anew next time
  }
}

bool VectorCache::active() const {
  return state_->usable || state_->carried;
}

void VectorCache::read(std::span<const Key> keys, ThreadPool& pool, Accept accept) {
  if (state_->carried) {
    CachedMatrix matrix;
    for (std::size_t index = 0; index < keys.size(); ++index) {
      const auto found = state_->carried->find(keys[index]);
      if (found == state_->carried->end()) continue;
      if (!read_record(found->second, keys[index], matrix)) throw_invalid("carried vectors: damaged");
      accept(index, matrix.view(), matrix.note);
    }
    return;
  }
  pool.for_each((keys.size() + kKeysPerRead - 1) / kKeysPerRead, [&](std::size_t part, std::size_t) {
    const std::size_t first = part * kKeysPerRead;
    const auto some = keys.subspan(first, std::min(kKeysPerRead, keys.size() - first));
    CachedMatrix matrix;
    const auto take = [&](std::size_t index, std::span<const std::byte> record) {
      if (read_record(record, some[index], matrix)) accept(first + index, matrix.view(), matrix.note);
    };
    state_->with_database([&](Database& database) { return database.read(some, take); });
  });
  state_->speak();
}

void VectorCache::write(const Key& key, MatrixView<const float> rows, std::uint64_t note) {
  if (!state_->usable) return;
  // One record may not push out a large part of the cache.
  auto record = make_record(key, rows, note, state_->batch_bytes);
  if (!record) return;
  {
    const std::lock_guard lock(state_->batch_mutex);
    state_->next_bytes += record->size();
    state_->next.emplace_back(key, std::move(*record));
    if (state_->next_bytes >= state_->batch_bytes) state_->start_writing();
  }
  state_->speak();
}

void VectorCache::flush() {
  {
    const std::lock_guard lock(state_->batch_mutex);
    if (!state_->next.empty()) state_->start_writing();
    if (state_->writing.valid()) state_->writing.wait();
  }
  state_->speak();
}

std::uint64_t default_cache_bytes() {
  const std::string_view told = environment("MARKEVAL_CACHE_SIZE");
  if (told.empty()) return VectorCache::kDefaultMaxBytes;
  const std::optional<std::uint64_t> bytes = parse_size(told);
  if (!bytes || *bytes > std::uint64_t{1} << 44) {
    throw_usage("MARKEVAL_CACHE_SIZE is '" + std::string(told) +
                "', expected bytes or a number with K, M or G, as 8G");
  }
  return *bytes;
}

}  // namespace markeval::cache
