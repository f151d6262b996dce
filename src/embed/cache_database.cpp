#include "embed/cache_database.hpp"

#include <cerrno>
#include <cstring>
#include <mutex>
#include <string_view>

#include "embed/lmdb_pages.hpp"

namespace markeval::embed {
namespace {

constexpr std::string_view kFormat = "markeval vectors 1";
constexpr const char* kRowsName = "rows";
constexpr unsigned kMaxReaders = 1000;

MDB_val value_of(std::string_view text) {
  return {text.size(), const_cast<char*>(text.data())};
}

}  // namespace

std::string describe(int code) {
  return code == kDamaged ? std::string("damaged") : std::string(mdb_strerror(code));
}

bool means_damage(int code) {
  switch (code) {
    case kDamaged:
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_INVALID:
    case MDB_VERSION_MISMATCH:
    case MDB_PANIC:
    case MDB_INCOMPATIBLE:
    case MDB_BAD_DBI:
    case MDB_BAD_TXN:
      return true;
    default:
      return false;
  }
}

CacheDatabase::~CacheDatabase() {
  if (environment_ != nullptr) mdb_env_close(environment_);
}

int CacheDatabase::open(const std::string& folder, std::uint64_t max_bytes, std::string& detail) {
  if (const int code = mdb_env_create(&environment_); code != 0) return code;
  mdb_env_set_assert(environment_, [](MDB_env*, const char*) { throw LmdbAssertion(); });
  mdb_env_set_maxdbs(environment_, 4);
  mdb_env_set_maxreaders(environment_, kMaxReaders);
  mdb_env_set_mapsize(environment_, max_bytes);
  if (const int code = mdb_env_open(environment_, folder.c_str(), MDB_NOTLS | MDB_NOMETASYNC, 0600);
      code != 0) {
    detail = describe(code);
    return code;
  }
  MDB_stat stat{};
  mdb_env_stat(environment_, &stat);
  page_size_ = stat.ms_psize;
  int dead = 0;
  mdb_reader_check(environment_, &dead);  // killed readers would keep old pages from being used again
  if (const int code = check_pages(detail); code != 0) return code;
  return open_tables(detail);
}

std::optional<std::string> CacheDatabase::fault(std::uint64_t transaction, std::size_t oldest_rows,
                                                bool& snapshot_gone) const {
  int descriptor = -1;
  mdb_env_get_fd(environment_, &descriptor);
  LmdbPages pages(descriptor, page_size_, transaction);
  const std::optional<std::string> fault = pages.fault(kRowsName, oldest_rows);
  snapshot_gone = pages.snapshot_gone();
  return fault;
}

int CacheDatabase::check_pages(std::string& detail) {
  // Where others commit faster than we look, they looked before they wrote.
  for (int attempt = 0; attempt < 3; ++attempt) {
    CacheTransaction snapshot(*this, CacheTransaction::Kind::read);
    if (snapshot.status() != 0) return snapshot.status();
    bool gone = false;
    if (const auto found = fault(mdb_txn_id(snapshot.get()), 2, gone)) {
      detail = *found;
      return kDamaged;
    }
    if (!gone) break;
  }
  return 0;
}

int CacheDatabase::open_tables(std::string& detail) {
  // First as a reader: the tables are there but for the first time, and a writer would wait for other
  // writers.
  for (const auto kind : {CacheTransaction::Kind::read, CacheTransaction::Kind::write}) {
    const bool create = kind == CacheTransaction::Kind::write;
    CacheTransaction transaction(*this, kind);
    if (transaction.status() != 0) return transaction.status();
    const unsigned flags = create ? MDB_CREATE : 0;
    MDB_dbi about = 0;
    int code = mdb_dbi_open(transaction.get(), "about", flags, &about);
    if (code == 0) code = mdb_dbi_open(transaction.get(), "index", flags, &index_);
    if (code == 0) code = mdb_dbi_open(transaction.get(), kRowsName, flags | MDB_INTEGERKEY, &rows_);
    if (code == MDB_NOTFOUND && !create) continue;
    if (code != 0) return detail = describe(code), code;
    MDB_val key = value_of("format");
    MDB_val found = value_of(kFormat);
    code = mdb_get(transaction.get(), about, &key, &found);
    if (code == MDB_NOTFOUND && create) {
      found = value_of(kFormat);
      code = mdb_put(transaction.get(), about, &key, &found, 0);
    }
    if (code != 0) return detail = "it does not say its format", kDamaged;
    const std::string_view format(static_cast<const char*>(found.mv_data), found.mv_size);
    if (format != kFormat) {
      detail = "its format is '" + std::string(format.substr(0, 40)) + "', expected '" +
               std::string(kFormat) + "'";
      return kDamaged;
    }
    return transaction.commit();
  }
  return kDamaged;
}

CacheTransaction::CacheTransaction(CacheDatabase& database, Kind kind) : map_lock_(database.map_mutex_) {
  MDB_env* environment = database.environment_;
  for (int attempt = 0; attempt < 4; ++attempt) {
    status_ = mdb_txn_begin(environment, nullptr, kind == Kind::read ? MDB_RDONLY : 0, &transaction_);
    if (status_ == MDB_MAP_RESIZED) {  // another process allows itself a larger cache: take its size
      map_lock_.unlock();
      {
        std::unique_lock exclusive(database.map_mutex_);
        mdb_env_set_mapsize(environment, 0);
      }
      map_lock_.lock();
    } else if (status_ == MDB_READERS_FULL) {
      int dead = 0;
      mdb_reader_check(environment, &dead);
      if (dead == 0) break;
    } else {
      break;
    }
  }
  if (status_ != 0) transaction_ = nullptr;
}

CacheTransaction::~CacheTransaction() {
  if (transaction_ != nullptr) mdb_txn_abort(transaction_);
}

int CacheTransaction::commit() {
  MDB_txn* transaction = transaction_;
  transaction_ = nullptr;
  return mdb_txn_commit(transaction);
}

}  // namespace markeval::embed
