// The schema, the settings and every statement sent to SQLite. Old rows are deleted and the log is emptied so
// that the file stays within its size.
#include "cache/database.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>

namespace markeval::cache {
namespace {

constexpr std::int64_t kPageBytes = 8192;                         ///< as kNewFile says
constexpr std::uint64_t kMostReserve = std::uint64_t{256} << 20;  ///< part of the cache's size for the log
constexpr std::uint64_t kUsualLog = std::uint64_t{8} << 20;       ///< then it is moved into the file
constexpr std::chrono::milliseconds kWaitForOthers{5000};
/// Opening takes some hundred steps of SQLite's machine. A crafted schema may ask for billions.
constexpr int kMostStepsToOpen = 100'000;
constexpr int kNoFileBeside = SQLITE_CANTOPEN_CONVPATH;   ///< a code that SQLite itself has for Cygwin only
constexpr int kOtherProgram = SQLITE_CANTOPEN | 99 << 8;  ///< a code that SQLite does not have

/// Rows are appended, so a second run over the same texts reads the file from front to back, and the smallest
/// sequence is the oldest record. `hash` is part of the key; the record holds all of it. It is a blob: SQLite
/// compares blobs within their bounds, but an integer in a damaged entry of its index with whatever lies
/// behind the page. Another form of records gets another name here: a file of an older form, or one whose
/// schema is damaged, is started anew.
constexpr std::string_view kSchema =
    "CREATE TABLE records_2(sequence INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, record BLOB NOT "
    "NULL)";
/// One of them is left of our schema after a few wrong bytes; a file without any is another program's.
constexpr std::array<std::string_view, 2> kTraces{"(sequence INTEGER PRIMARY KEY",
                                                  "hash BLOB NOT NULL UNIQUE"};

/// What a file is made with. A page holds five sentence vectors of 384 floats; unused ones can be given back.
constexpr const char* kNewFile =
    "PRAGMA temp_store=MEMORY; PRAGMA page_size=8192; PRAGMA auto_vacuum=INCREMENTAL";
/// Synchronous: a power cut may undo the last batches, nothing more. A map of the file would turn a file that
/// is cut while we read it into a crash.
constexpr const char* kSettings =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA secure_delete=OFF;"
    "PRAGMA mmap_size=0; PRAGMA cache_size=-8192;"
    "PRAGMA cell_size_check=ON; PRAGMA trusted_schema=OFF";

/// SQLite's result codes say more in their higher bytes.
int kind(int code) {
  return code & 0xff;
}

void bind_hash(sqlite3_stmt* statement, const Key& key) {
  sqlite3_bind_blob(statement, 1, &key.high, sizeof(key.high), SQLITE_STATIC);
}

/// Some steps do not wait for other connections, whatever the timeout says: a change to WAL mode, and
/// emptying a log that another one empties already.
template <typename Step>
int patiently(Step step) {
  using Clock = std::chrono::steady_clock;
  for (const auto end = Clock::now() + kWaitForOthers;;) {
    const int code = step();
    if (kind(code) != SQLITE_BUSY || Clock::now() >= end) return code;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace

bool means_damage(int code) {
  switch (kind(code)) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_TOOBIG:     // a record longer than any we write
    case SQLITE_INTERRUPT:  // more than kMostStepsToOpen
      return true;
    default:
      return false;
  }
}

Database::~Database() {
  find_.reset(), insert_.reset(), evict_.reset(), count_pages_.reset();
  sqlite3_close(connection_);
}

std::string Database::message(int code) const {
  if (kind(code) == SQLITE_ERROR) return "emptied by another process";  // "no such table", to SQLite
  if (code == SQLITE_CANTOPEN_SYMLINK) return "its file is a symbolic link";
  if (code == kOtherProgram) return "its file is another program's database, and stays as it is";
  if (code == kNoFileBeside) return "a file of SQLite's beside it is a link, a pipe or a folder";
  std::string text = sqlite3_errstr(code);
  const int reason = connection_ == nullptr ? 0 : sqlite3_system_errno(connection_);
  const bool of_the_system =
      kind(code) == SQLITE_IOERR || kind(code) == SQLITE_CANTOPEN || kind(code) == SQLITE_FULL;
  if (of_the_system && reason != 0) text += std::string(" (") + std::strerror(reason) + ")";
  return text;
}

int Database::prepare(const char* sql, Statement& statement) {
  sqlite3_stmt* made = nullptr;
  const int code = sqlite3_prepare_v3(connection_, sql, -1, SQLITE_PREPARE_PERSISTENT, &made, nullptr);
  statement.reset(made);
  return code;
}

int Database::connect(const std::string& path) {
  // The file is for its owner only, and the log takes after it. Where this fails SQLite says why. Not open
  // and close: closing a file gives up the locks that other threads of this process have on it.
  mknod(path.c_str(), S_IFREG | 0600, 0);
  // SQLite would wait at a pipe for somebody to write into it.
  for (const char* const ending : {"-journal", "-wal", "-shm"}) {
    struct stat status {};
    if (::lstat((path + ending).c_str(), &status) == 0 && !S_ISREG(status.st_mode)) return kNoFileBeside;
  }
  const int flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE;
  if (const int code = sqlite3_open_v2(path.c_str(), &connection_, flags, nullptr); code != 0) return code;
  sqlite3_busy_timeout(connection_, static_cast<int>(kWaitForOthers.count()));
  sqlite3_limit(connection_, SQLITE_LIMIT_LENGTH, static_cast<int>(kMaxRecordBytes) + 4096);
  sqlite3_progress_handler(
      connection_, kMostStepsToOpen, [](void*) { return 1; }, nullptr);
  return sqlite3_db_readonly(connection_, "main") == 1 ? SQLITE_READONLY : SQLITE_OK;
}

int Database::open(const std::string& path, std::uint64_t max_bytes) {
  if (const int code = connect(path); code != 0) return code;
  std::string schema;
  int code = patiently([&] { return read_schema(schema); });
  const auto has = [&](std::string_view trace) { return schema.find(trace) != std::string::npos; };
  if (code == 0 && !schema.empty() && std::ranges::none_of(kTraces, has)) return kOtherProgram;
  if (code == 0) code = run(kNewFile);
  if (code == 0) code = patiently([&] { return run(kSettings); });
  if (code == 0) code = patiently([&] { return check_schema(); });
  sqlite3_progress_handler(connection_, 0, nullptr, nullptr);
  // What SQLite answers to a format number it does not know, and to a file that says it is not to be written.
  if (code == SQLITE_ERROR || code == SQLITE_READONLY) code = SQLITE_NOTADB;
  if (code == 0) code = prepare("SELECT record FROM records_2 WHERE hash=?", find_);
  if (code == 0) code = prepare("INSERT OR REPLACE INTO records_2(hash, record) VALUES(?, ?)", insert_);
  if (code == 0) {
    code = prepare(
        "DELETE FROM records_2 WHERE sequence IN (SELECT sequence FROM records_2 ORDER BY sequence LIMIT 32)",
        evict_);
  }
  if (code == 0) {
    code = prepare("SELECT page_count, freelist_count FROM pragma_page_count, pragma_freelist_count",
                   count_pages_);
  }
  if (code != 0) return code;
  log_path_ = path + "-wal";
  // The log is looked at before each batch and grows by one until the next look.
  const std::uint64_t reserve = std::min(max_bytes / 4, kMostReserve);
  max_log_bytes_ = reserve / 2;
  max_pages_ = static_cast<std::int64_t>(max_bytes - reserve) / kPageBytes;
  return sqlite3_wal_autocheckpoint(connection_,
                                    static_cast<int>(std::min(max_log_bytes_, kUsualLog) / kPageBytes));
}

int Database::check_schema() {
  std::string create(kSchema);
  create.insert(std::strlen("CREATE TABLE"), " IF NOT EXISTS");
  if (const int code = run(create); code != 0) return code;
  std::string found;
  if (const int code = read_schema(found); code != 0) return code;
  return found == kSchema ? SQLITE_OK : SQLITE_NOTADB;
}

/// Empty where the file is.
int Database::read_schema(std::string& found) {
  Statement schema;
  if (const int code = prepare("SELECT group_concat(sql, ';') FROM sqlite_master", schema); code != 0)
    return code;
  const bool row = sqlite3_step(schema.get()) == SQLITE_ROW;
  const auto* text = row ? reinterpret_cast<const char*>(sqlite3_column_text(schema.get(), 0)) : nullptr;
  const bool has_text = row && sqlite3_column_type(schema.get(), 0) != SQLITE_NULL;
  if (text != nullptr) found = text;
  const int code = sqlite3_reset(schema.get());
  return code != 0 ? code : has_text && text == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int Database::reset(const std::string& path) {
  Database database;
  if (const int code = database.connect(path); code != 0) return code;
  // SQLite's manual asks for one read before, whatever comes of it.
  database.run("SELECT count(*) FROM sqlite_master");
  sqlite3_progress_handler(database.connection_, 0, nullptr, nullptr);
  sqlite3_db_config(database.connection_, SQLITE_DBCONFIG_RESET_DATABASE, 1, nullptr);
  int code = database.run(kNewFile);
  if (code == 0) code = database.run("VACUUM");
  // The empty file stands in the log now. SQLite moves it over when the last connection closes, but not when
  // two close at the same moment. Where another process reads for long, the next one to open does it.
  if (code == 0) database.empty_log();
  return code;
}

int Database::read(std::span<const Key> keys, Visit visit) {
  int code = run("BEGIN");
  for (std::size_t index = 0; index < keys.size() && code == 0; ++index) {
    bind_hash(find_.get(), keys[index]);
    if (sqlite3_step(find_.get()) == SQLITE_ROW) {
      const void* data = sqlite3_column_blob(find_.get(), 0);
      const int bytes = sqlite3_column_bytes(find_.get(), 0);
      if (data != nullptr)
        visit(index, {static_cast<const std::byte*>(data), static_cast<std::size_t>(bytes)});
    }
    code = sqlite3_reset(find_.get());
  }
  run("COMMIT");
  return code;
}

int Database::count_pages(std::int64_t& all, std::int64_t& unused) {
  sqlite3_step(count_pages_.get());
  all = sqlite3_column_int64(count_pages_.get(), 0);
  unused = sqlite3_column_int64(count_pages_.get(), 1);
  return sqlite3_reset(count_pages_.get());
}

int Database::make_room(std::int64_t coming_bytes) {
  std::int64_t all = 0, unused = 0;
  int code = count_pages(all, unused);
  // Pages are not always full: a record a little larger than half of one takes a whole one. A file that is
  // too large, because an earlier run was allowed more, shrinks from batch to batch: no batch waits for a
  // long clean-up.
  const std::int64_t coming = 2 * coming_bytes / kPageBytes + 32;
  const std::int64_t target = std::max(max_pages_ - coming, all - unused - 2 * coming);
  for (int gone = 1; code == 0 && gone > 0 && all - unused > target;) {
    sqlite3_step(evict_.get());
    code = sqlite3_reset(evict_.get());
    gone = sqlite3_changes(connection_);
    if (code == 0) code = count_pages(all, unused);
  }
  const std::int64_t surplus = std::min(all - max_pages_, unused - coming);
  if (code != 0 || surplus <= 0) return code;
  return run("PRAGMA incremental_vacuum(" + std::to_string(surplus) + ")");
}

int Database::write(const Batch& batch) {
  std::int64_t coming_bytes = 0;
  for (const auto& [key, record] : batch) coming_bytes += static_cast<std::int64_t>(record.size());
  int code = bound_log();
  if (code == 0) code = run("BEGIN IMMEDIATE");
  if (code != 0) return code;
  code = make_room(coming_bytes);
  for (auto entry = batch.begin(); code == 0 && entry != batch.end(); ++entry) {
    const auto& [key, record] = *entry;
    bind_hash(insert_.get(), key);
    sqlite3_bind_blob(insert_.get(), 2, record.data(), static_cast<int>(record.size()), SQLITE_STATIC);
    sqlite3_step(insert_.get());
    code = sqlite3_reset(insert_.get());
  }
  if (code == 0) code = run("COMMIT");
  if (code != 0) run("ROLLBACK");  // where SQLite has not done so itself
  return code;
}

int Database::bound_log() {
  struct stat log {};
  if (stat(log_path_.c_str(), &log) != 0 || static_cast<std::uint64_t>(log.st_size) <= max_log_bytes_)
    return SQLITE_OK;
  return empty_log();
}

/// SQLite empties the log by itself, but not while anybody reads. Here we wait for the readers.
int Database::empty_log() {
  return patiently([&] {
    return sqlite3_wal_checkpoint_v2(connection_, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  });
}

}  // namespace markeval::cache
