// Folder and file are made, locked and checked to be still in place; a race with another process is tried
// again.
#include "trained/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "base/paths.hpp"

namespace markeval::trained {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockFile = "training.lock";
// Others that come and go make and remove folder and file under our hands. We try again for so long: a shared
// file system may also show for a second what is no longer there.
constexpr auto kPatience = std::chrono::seconds(10);
constexpr auto kPause = std::chrono::milliseconds(1);

/// The errors of a folder or file that somebody made or removed between two of our calls.
bool another_was_faster(std::errc error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::file_exists ||
         error == static_cast<std::errc>(ESTALE);
}

}  // namespace

FolderLock::FolderLock(const std::string& folder)
    : folder_(folder), path_((fs::path(folder) / kLockFile).string()) {
  std::error_code error;
  fs::path missing = fs::path(full_path(folder)).lexically_normal();
  if (!missing.has_filename()) missing = missing.parent_path();  // "mine/"
  for (; !fs::exists(missing, error); missing = missing.parent_path()) made_.push_back(missing);
  try {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!try_lock()) {
      if (std::chrono::steady_clock::now() > end)
        throw Error(ErrorCode::io, fmt::format("{}: cannot make and lock this folder", folder));
      std::this_thread::sleep_for(kPause);
    }
  } catch (...) {
    remove_made();
    throw;
  }
}

/// False where another process removed folder or file before we held it: then there is nothing in our hands.
bool FolderLock::try_lock() {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error && another_was_faster(static_cast<std::errc>(error.value()))) return false;
  if (error)
    throw Error(ErrorCode::io, fmt::format("{}: cannot make this folder: {}", folder_, error.message()));
  descriptor_ = Descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!descriptor_ && another_was_faster(static_cast<std::errc>(errno))) return false;
  if (!descriptor_) throw_io(path_, "write");
  if (!try_lock_file(descriptor_, path_)) {
    throw_usage(fmt::format(
        "{}: another training is running in this folder; wait for its end, or take another folder", folder_));
  }
  // The file we hold must be the one that others will find.
  struct stat held {
  }, found{};
  return fstat(descriptor_.get(), &held) == 0 && stat(path_.c_str(), &found) == 0 &&
         held.st_ino == found.st_ino && held.st_dev == found.st_dev;
}

FolderLock::~FolderLock() {
  ::unlink(path_.c_str());  // while it is held: whoever opened it meanwhile notices and starts again
  remove_made();
}

/// Closes the file first: where the disk is on the network, an open one would stay in its folder.
void FolderLock::remove_made() {
  descriptor_ = Descriptor();
  for (const fs::path& folder : made_) {
    if (::rmdir(folder.c_str()) != 0) return;  // it holds something
  }
}

}  // namespace markeval::trained
