#include "trained/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"

namespace markeval::trained {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockFile = "training.lock";
constexpr int kAttempts = 100;  // each is one process that made and removed folder and file in between

}  // namespace

FolderLock::FolderLock(const std::string& folder)
    : folder_(folder), path_((fs::path(folder) / kLockFile).string()) {
  std::error_code error;
  fs::path missing = fs::absolute(folder).lexically_normal();
  if (!missing.has_filename()) missing = missing.parent_path();  // "mine/"
  for (; !fs::exists(missing, error); missing = missing.parent_path()) made_.push_back(missing);
  try {
    for (int attempt = 0; !try_lock(); ++attempt) {
      if (attempt == kAttempts)
        throw Error(ErrorCode::io, fmt::format("{}: cannot make and lock this folder", folder));
    }
  } catch (...) {
    if (descriptor_ >= 0) ::close(descriptor_);
    remove_made();
    throw;
  }
}

/// False where another process removed folder or file before we held it: then there is nothing in our hands.
bool FolderLock::try_lock() {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error == std::errc::no_such_file_or_directory || error == std::errc::file_exists) return false;
  if (error)
    throw Error(ErrorCode::io, fmt::format("{}: cannot make this folder: {}", folder_, error.message()));
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0 && errno == ENOENT) return false;
  if (descriptor_ < 0) throw_io(path_, "write");
  while (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      throw_usage(
          fmt::format("{}: another training is running in this folder; wait for its end, or take "
                      "another folder",
                      folder_));
    }
    if (errno != EINTR) throw_io(path_, "lock");
  }
  // The file we hold must be the one that others will find.
  struct stat held {
  }, found{};
  if (fstat(descriptor_, &held) == 0 && stat(path_.c_str(), &found) == 0 && held.st_ino == found.st_ino &&
      held.st_dev == found.st_dev)
    return true;
  ::close(descriptor_);
  descriptor_ = -1;
  return false;
}

FolderLock::~FolderLock() {
  ::unlink(path_.c_str());  // while it is held: whoever opened it meanwhile notices and starts again
  ::close(descriptor_);
  remove_made();
}

void FolderLock::remove_made() {
  for (const fs::path& folder : made_) {
    if (::rmdir(folder.c_str()) != 0) return;  // it holds something
  }
}

}  // namespace markeval::trained
