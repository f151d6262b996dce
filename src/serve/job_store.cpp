// The table, the statements sent to SQLite, and the check that the file is a job store of ours.
#include "serve/job_store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <new>

#include "base/digest.hpp"
#include "base/error.hpp"

namespace markeval::serve {
namespace {

constexpr std::array<const char*, 5> kStates{"waiting", "running", "done", "failed", "cancelled"};

constexpr std::array<const char*, 3> kParts{"json", "tsv", "page"};

constexpr const char* kSettings =
    "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA "
    "trusted_schema=OFF;"
    "PRAGMA mmap_size=0";
constexpr const char* kTable =
    "CREATE TABLE jobs_1(id TEXT PRIMARY KEY, kind TEXT NOT NULL, state INTEGER NOT NULL,"
    " created INTEGER NOT NULL, ended INTEGER NOT NULL, error TEXT NOT NULL, report_key TEXT NOT NULL UNIQUE,"
    " idempotency_key TEXT UNIQUE, body_digest TEXT NOT NULL, json TEXT, tsv TEXT, page TEXT)";
/// A checksum of a job's results: a damaged disk gives an error, never a wrong score. Files of 0.1.0 have none.
constexpr const char* kDigest = "ALTER TABLE jobs_1 ADD COLUMN digest TEXT";
constexpr const char* kIndex = "CREATE INDEX jobs_1_ended ON jobs_1(ended)";
constexpr const char* kStopped =
    R"({"error":"the server was stopped before the job was done","type":"stopped","hint":"POST the job again."})";

constexpr std::string_view kColumns =
    "SELECT id, kind, state, created, ended, error, report_key, idempotency_key, body_digest, page IS NOT "
    "NULL "
    "FROM jobs_1 ";

/// Links among the folders are followed: systemd makes /var/lib/NAME one. The file itself may be none.
std::string with_real_folder(const std::filesystem::path& path) {
  std::error_code failed;
  const auto folder = std::filesystem::canonical(path.has_parent_path() ? path.parent_path() : ".", failed);
  return failed ? path.string() : (folder / path.filename()).string();
}

}  // namespace

std::string name_of(JobState state) {
  return kStates[static_cast<std::size_t>(state)];
}

struct JobStore::State {
  explicit State(const std::string& named) : name(named.empty() ? "jobs in memory" : named) {
    const std::string path = named.empty() ? "" : with_real_folder(named);
    if (!path.empty()) ::mknod(path.c_str(), S_IFREG | 0600, 0);     // texts and scores are the owner's
    for (const char* const ending : {"-journal", "-wal", "-shm"}) {  // SQLite would wait at a pipe
      struct stat status {};
      if (!path.empty() && ::lstat((path + ending).c_str(), &status) == 0 && !S_ISREG(status.st_mode))
        throw Error(ErrorCode::usage,
                    fmt::format("{}{}: no ordinary file, which SQLite needs", named, ending));
    }
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                      (path.empty() ? SQLITE_OPEN_MEMORY | SQLITE_OPEN_CREATE : SQLITE_OPEN_NOFOLLOW);
    const int code = sqlite3_open_v2(path.empty() ? ":memory:" : path.c_str(), &connection, flags, nullptr);
    try {
      require(code, "open");
      const bool has_table = is_ours();
      execute(kSettings);
      if (!has_table) execute(kTable), execute(kIndex);
      if (!has_digests) execute(kDigest);
    } catch (...) {
      sqlite3_close(connection);
      throw;
    }
  }
  ~State() { sqlite3_close(connection); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void require(int code, const char* action) const {
    if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
    if ((code & 0xff) == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM) throw std::bad_alloc();
    const char* reason = sqlite3_errmsg(connection);
    if ((code & 0xff) == SQLITE_BUSY) reason = "another server uses this file";
    if (code == SQLITE_CANTOPEN_SYMLINK) reason = "it is a symbolic link";
    throw Error(ErrorCode::io, fmt::format("{}: cannot {}: {}", name, action, reason));
  }
  void execute(const char* sql) {
    require(sqlite3_exec(connection, sql, nullptr, nullptr, nullptr), "use the jobs");
  }

  /// Throws Error(io) where it is not what was written.
  std::optional<std::string> part(const char* key, const std::string& value, JobPart part);

  /// A file that holds anything else is another program's, or was given triggers that would run here.
  bool is_ours() {
    std::vector<std::string> found;
    const auto add = [](void* list, int, char** columns, char**) {
      static_cast<std::vector<std::string>*>(list)->emplace_back(columns[0]);
      return 0;
    };
    require(
        sqlite3_exec(connection, "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL", add, &found, nullptr),
        "use the jobs");
    std::string with_digests(kTable);
    with_digests.insert(with_digests.size() - 1, ", digest TEXT");
    has_digests = found == std::vector<std::string>{with_digests, kIndex};
    if (!found.empty() && !has_digests && found != std::vector<std::string>{kTable, kIndex})
      throw Error(ErrorCode::usage, fmt::format("{}: no file of jobs: it holds something else", name));
    return !found.empty();
  }

  sqlite3* connection = nullptr;
  bool has_digests = false;
  std::string name;
  std::mutex mutex;
};

namespace {

/// A statement for one use.
class JobStatement {
 public:
  template <typename Owner>
  JobStatement(Owner& owner, const std::string& sql)
      : failed_([&owner](int code) { owner.require(code, "use the jobs"); }) {
    failed_(sqlite3_prepare_v2(owner.connection, sql.c_str(), -1, &statement_, nullptr));
  }
  ~JobStatement() { sqlite3_finalize(statement_); }
  JobStatement(const JobStatement&) = delete;
  JobStatement& operator=(const JobStatement&) = delete;

  JobStatement& bind(const std::string& text) {
    failed_(
        sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
    return *this;
  }
  JobStatement& bind(std::int64_t number) {
    failed_(sqlite3_bind_int64(statement_, ++bound_, number));
    return *this;
  }
  JobStatement& bind_nothing() {
    ++bound_;  // what is not bound is NULL
    return *this;
  }
  /// Whether there is a row.
  bool step() {
    const int code = sqlite3_step(statement_);
    failed_(code);
    return code == SQLITE_ROW;
  }
  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  std::string text(int column) const {
    if (is_null(column)) return {};
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    if (data == nullptr) throw std::bad_alloc();
    return std::string(data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
  }
  std::int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }

 private:
  std::function<void(int)> failed_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

std::optional<JobRecord> record_of(JobStatement& statement) {
  if (!statement.step()) return std::nullopt;
  JobRecord job;
  job.id = statement.text(0);
  job.kind = statement.text(1);
  const auto state = statement.number(2);
  job.state = state < 0 || state >= std::ssize(kStates) ? JobState::failed : static_cast<JobState>(state);
  job.created = statement.number(3);
  job.ended = statement.number(4);
  job.error = statement.text(5);
  job.report_key = statement.text(6);
  job.idempotency_key = statement.text(7);
  job.body_digest = statement.text(8);
  job.has_page = statement.number(9) != 0;
  return job;
}

}  // namespace

std::optional<std::string> JobStore::State::part(const char* key, const std::string& value, JobPart part) {
  const auto index = static_cast<std::size_t>(part);
  const std::lock_guard lock(mutex);
  JobStatement statement(*this, fmt::format("SELECT {}, digest FROM jobs_1 WHERE {}=?", kParts[index], key));
  if (!statement.bind(value).step() || statement.is_null(0)) return std::nullopt;
  std::string text = statement.text(0);
  const std::string digest = sha256_of(text);
  const std::string digests = statement.text(1);  // of older files none
  if (!digests.empty() &&
      digests.compare(std::min(digests.size(), index * digest.size()), digest.size(), digest) != 0)
    throw Error(ErrorCode::io, fmt::format("{}: damaged: a result has another checksum than when it was "
                                           "written; DELETE the job and POST it again",
                                           name));
  return text;
}

JobStore::JobStore(const std::string& path) : state_(std::make_unique<State>(path)) {
  JobStatement(*state_, "UPDATE jobs_1 SET state=?, ended=?, error=? WHERE ended=0")
      .bind(static_cast<std::int64_t>(JobState::failed))
      .bind(static_cast<std::int64_t>(std::time(nullptr)))
      .bind(kStopped)
      .step();
}

JobStore::~JobStore() = default;

void JobStore::add(const JobRecord& job) {
  const std::lock_guard lock(state_->mutex);
  JobStatement statement(*state_,
                         "INSERT INTO jobs_1 VALUES(?, ?, ?, ?, 0, '', ?, ?, ?, NULL, NULL, NULL, NULL)");
  statement.bind(job.id)
      .bind(job.kind)
      .bind(static_cast<std::int64_t>(job.state))
      .bind(job.created)
      .bind(job.report_key);
  job.idempotency_key.empty() ? statement.bind_nothing() : statement.bind(job.idempotency_key);
  statement.bind(job.body_digest).step();
}

void JobStore::end(const JobRecord& job, const std::string& json, const std::string& tsv,
                   const std::string& page) {
  const std::lock_guard lock(state_->mutex);
  JobStatement statement(
      *state_, "UPDATE jobs_1 SET state=?, ended=?, error=?, json=?, tsv=?, page=?, digest=? WHERE id=?");
  statement.bind(static_cast<std::int64_t>(job.state)).bind(job.ended).bind(job.error);
  std::string digests;
  for (const std::string* part : {&json, &tsv, &page}) {
    part->empty() ? statement.bind_nothing() : statement.bind(*part);
    digests += sha256_of(*part);
  }
  statement.bind(digests).bind(job.id).step();
}

std::optional<JobRecord> JobStore::find(const std::string& id) {
  const std::lock_guard lock(state_->mutex);
  JobStatement statement(*state_, std::string(kColumns) + "WHERE id=?");
  return record_of(statement.bind(id));
}

std::optional<JobRecord> JobStore::find_by_idempotency_key(const std::string& key) {
  const std::lock_guard lock(state_->mutex);
  JobStatement statement(*state_, std::string(kColumns) + "WHERE idempotency_key=?");
  return record_of(statement.bind(key));
}

std::optional<std::string> JobStore::part(const std::string& id, JobPart part) {
  return state_->part("id", id, part);
}

std::optional<std::string> JobStore::page_of(const std::string& report_key) {
  return state_->part("report_key", report_key, JobPart::page);
}

std::uint64_t JobStore::bytes() {
  const std::lock_guard lock(state_->mutex);
  JobStatement statement(*state_,
                         "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, "
                         "pragma_freelist_count, pragma_page_size");
  return statement.step() ? static_cast<std::uint64_t>(statement.number(0)) : 0;
}

void JobStore::free_idempotency_key(const std::string& key) {
  const std::lock_guard lock(state_->mutex);
  JobStatement(*state_, "UPDATE jobs_1 SET idempotency_key=NULL WHERE idempotency_key=?").bind(key).step();
}

void JobStore::remove(const std::string& id) {
  const std::lock_guard lock(state_->mutex);
  JobStatement(*state_, "DELETE FROM jobs_1 WHERE id=?").bind(id).step();
}

void JobStore::remove_older_than(std::int64_t moment) {
  const std::lock_guard lock(state_->mutex);
  JobStatement(*state_, "DELETE FROM jobs_1 WHERE ended>0 AND ended<?").bind(moment).step();
}

}  // namespace markeval::serve
