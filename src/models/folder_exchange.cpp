#include "models/folder_exchange.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "base/error.hpp"

namespace markeval::models {
namespace {

namespace fs = std::filesystem;

void sync_one(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) throw_io(path.string(), "open");
  // Some file systems have no such thing for folders (EINVAL); then there is nothing to wait for.
  const int reason = ::fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
  ::close(descriptor);
  if (reason == 0) return;
  errno = reason;
  throw_io(path.string(), "write");
}

/// False where the system or the file system has no such operation.
bool exchange(const std::string& one, const std::string& other) {
  if (::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (errno == ENOSYS || errno == EINVAL || errno == EOPNOTSUPP) return false;
  throw_io(other, "exchange the folder");
}

void rename_aside(const std::string& from, const std::string& to, const std::string& aside) {
  std::error_code ignored;
  fs::remove_all(aside, ignored);
  if (std::rename(to.c_str(), aside.c_str()) != 0) throw_io(to, "move the folder aside");
  if (std::rename(from.c_str(), to.c_str()) == 0) return;
  const int reason = errno;
  std::rename(aside.c_str(), to.c_str());
  errno = reason;
  throw_io(to, "put the folder here");
}

}  // namespace

void sync_folder(const std::string& folder) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (fs::is_directory(entry->symlink_status()) || fs::is_regular_file(entry->symlink_status()))
      sync_one(entry->path());
  }
  if (error) {
    errno = error.value();
    throw_io(folder, "read");
  }
  sync_one(folder);
}

void put_in_place(const std::string& from, const std::string& to, const std::string& aside,
                  bool in_one_step) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(to, ignored))) {
    if (std::rename(from.c_str(), to.c_str()) != 0) throw_io(to, "put the folder here");
  } else if (!in_one_step || !exchange(from, to)) {
    rename_aside(from, to, aside);
  }
  sync_one(fs::path(to).parent_path());
  // What was replaced has the one name or the other now.
  fs::remove_all(from, ignored);
  fs::remove_all(aside, ignored);
}

}  // namespace markeval::models
