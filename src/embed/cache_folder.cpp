#include "embed/cache_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace markeval::embed {
namespace {

namespace fs = std::filesystem;
using FileId = std::pair<dev_t, ino_t>;

struct Registry {
  std::mutex mutex;
  std::map<FileId, std::weak_ptr<CacheDatabase>> open;
};
Registry& registry() {
  static Registry instance;
  return instance;
}

std::optional<FileId> file_id(const fs::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileId{status.st_dev, status.st_ino};
}
std::optional<FileId> file_id(const CacheDatabase& database) {
  int descriptor = -1;
  struct stat status {};
  if (mdb_env_get_fd(database.environment(), &descriptor) != 0 || fstat(descriptor, &status) != 0)
    return std::nullopt;
  return FileId{status.st_dev, status.st_ino};
}

/// Held shared while opening, exclusively while moving aside, so that nobody opens the lock file of one
/// database and the data file of another.
class FolderLock {
 public:
  FolderLock(const fs::path& folder, int kind)
      : descriptor_(::open((folder / "vectors.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (descriptor_ < 0) {
      code_ = errno;
      return;
    }
    while (flock(descriptor_, kind) != 0) {
      if (errno != EINTR) {
        code_ = errno;
        return;
      }
    }
  }
  ~FolderLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  int code() const { return code_; }

 private:
  int descriptor_;
  int code_ = 0;
};

/// LMDB needs a file map and locks that all users share. Network file systems do not give them.
const char* network_file_system(const fs::path& folder) {
  struct statfs status {};
  if (statfs(folder.c_str(), &status) != 0) return nullptr;
  switch (static_cast<std::uint32_t>(status.f_type)) {
    case 0x6969:
      return "NFS";
    case 0x517B:
    case 0xFF534D42:
    case 0xFE534D42:
      return "SMB";
    case 0x5346414F:
    case 0x6B414653:
      return "AFS";
    case 0x0BD00BD0:
      return "Lustre";
    case 0x47504653:
      return "GPFS";
    case 0x00C36400:
      return "Ceph";
    case 0x01021997:
      return "9P";
    default:
      return nullptr;
  }
}

void set_aside(const fs::path& vectors) {
  fs::path damaged = vectors;
  damaged += ".damaged";
  std::error_code ignored;
  fs::remove_all(damaged, ignored);  // one is enough to look into
  if (std::rename(vectors.c_str(), damaged.c_str()) != 0) fs::remove_all(vectors, ignored);
}

}  // namespace

int CacheFolder::open(const std::string& folder, std::uint64_t max_bytes, std::shared_ptr<CacheDatabase>& out,
                      std::string& note) {
  const std::lock_guard registry_lock(registry().mutex);
  const fs::path vectors = fs::path(folder) / "vectors";
  std::error_code error;
  fs::create_directories(folder, error);
  if (const char* system = network_file_system(folder)) {
    note =
        std::string("it lies on a ") + system + " network file system; set MARKEVAL_CACHE to a local folder";
    return EOPNOTSUPP;
  }
  // The second time alone, and only if what was found damaged still is.
  int code = 0;
  for (const int kind : {LOCK_SH, LOCK_EX}) {
    const FolderLock folder_lock(folder, kind);
    if (folder_lock.code() != 0) return note = describe(folder_lock.code()), folder_lock.code();
    for (int attempt = 0; attempt < 2; ++attempt) {
      if (mkdir(vectors.c_str(), 0700) != 0 && errno != EEXIST) {
        code = errno;
        return note = describe(code), code;
      }
      if (const auto id = file_id(vectors / "data.mdb"); id && registry().open.count(*id) != 0) {
        if ((out = registry().open[*id].lock())) return 0;
      }
      std::shared_ptr<CacheDatabase> database(new CacheDatabase);
      std::string detail;
      code = database->open(vectors.string(), max_bytes, detail);
      if (code == 0) {
        if (const auto id = file_id(*database)) registry().open[*id] = database;
        out = std::move(database);
        return 0;
      }
      if (detail.empty()) detail = describe(code);
      if (!means_damage(code) || attempt == 1) return note = detail, code;
      if (kind == LOCK_SH) break;
      database.reset();
      set_aside(vectors);
      note = "it was damaged (" + detail + "): moved to " + vectors.string() + ".damaged, started anew";
    }
  }
  return code;
}

bool CacheFolder::move_aside(const std::string& folder, const CacheDatabase& damaged) {
  const FolderLock folder_lock(folder, LOCK_EX);
  const fs::path vectors = fs::path(folder) / "vectors";
  if (folder_lock.code() != 0 || file_id(vectors / "data.mdb") != file_id(damaged)) return false;
  set_aside(vectors);
  return true;
}

void CacheFolder::release(std::shared_ptr<CacheDatabase>& database) {
  // Under the registry's lock: closing must not overlap with somebody opening the same file.
  const std::lock_guard registry_lock(registry().mutex);
  database.reset();
  std::erase_if(registry().open, [](const auto& entry) { return entry.second.expired(); });
}

}  // namespace markeval::embed
