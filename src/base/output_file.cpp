// The steps of a safe write: open without a name (O_TMPFILE) or under a temporary one, write, fsync, then
// link or rename to the final name.
#include "base/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "base/cancellation.hpp"
#include "base/error.hpp"

namespace markeval {

namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  ///< in a row, as the kernel has it

/// Where a link leads that leads to nothing yet.
fs::path end_of_links(fs::path path, const std::string& name) {
  std::error_code failed;
  for (int links = 0; fs::is_symlink(path, failed); ++links) {
    if (links == kMostLinks) throw_io(name, "write", ELOOP);
    path = path.parent_path() / fs::read_symlink(path, failed);
  }
  return path;
}

/// Calls `make(path)` with new names in this folder until one was free; gives that one back. Not made of the
/// file's own name: that may be as long as the file system allows.
template <typename Make>
std::string with_new_name(const fs::path& folder, const std::string& name, const Make& make) {
  for (int attempt = 0;; ++attempt) {
    // Not const: it is moved out, since a copy may find no memory after the file is there.
    std::string path = (folder / fmt::format(".markeval-{}-{}.tmp", ::getpid(), attempt)).string();
    if (make(path)) return path;
    if (errno != EEXIST || attempt == 1000) throw_io(name, "write");
  }
}

std::string link_of(int descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw_io(path, "write", EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    // A pipe may have no reader yet; the wait for one ends where the user asks for it.
    while (!(descriptor_ = Descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK)))) {
      if (errno != ENXIO || !S_ISFIFO(status.st_mode)) throw_io(path, "write");
      check_cancelled();
      ::usleep(10'000);
    }
    ::fcntl(descriptor_.get(), F_SETFL, O_WRONLY);
    return;
  }
  replaces_ = true;
  std::error_code failed;
  const fs::path resolved = exists ? fs::canonical(path, failed) : end_of_links(path, path);
  if (!failed) target_ = resolved.string();
  const std::string folder = this->folder();
  // A file without a name is gone where the process is killed. Not every file system has such files.
  descriptor_ = Descriptor(::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666));
  if (descriptor_ && ::access(link_of(descriptor_.get()).c_str(), F_OK) != 0) descriptor_ = Descriptor();
  if (!descriptor_) {
    temporary_ = with_new_name(folder, path, [&](const std::string& name) {
      descriptor_ = Descriptor(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      return static_cast<bool>(descriptor_);
    });
  }
  if (exists && ::fchmod(descriptor_.get(), status.st_mode & 07777) != 0) {
    // The permissions of the older file could not be kept; those of a new file are good enough.
    errno = 0;
  }
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

std::string OutputFile::folder() const {
  const fs::path above = fs::path(target_).parent_path();
  return above.empty() ? "." : above.string();
}

void OutputFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(descriptor_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_io(path_, "write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

void OutputFile::commit() {
  // Pipes and terminals cannot be synchronised (EINVAL), and need not be.
  if (::fsync(descriptor_.get()) != 0 && errno != EINVAL && errno != EROFS) throw_io(path_, "write");
  if (replaces_ && temporary_.empty()) {
    temporary_ = with_new_name(folder(), path_, [&](const std::string& name) {
      return ::linkat(AT_FDCWD, link_of(descriptor_.get()).c_str(), AT_FDCWD, name.c_str(),
                      AT_SYMLINK_FOLLOW) == 0;
    });
  }
  if (::close(descriptor_.release()) != 0) throw_io(path_, "write");
  if (!replaces_) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) throw_io(path_, "write");
  temporary_.clear();
}

void make_folders(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw_io(path, "make this folder", error.value());
}

void write_whole_file(const std::string& path, std::string_view contents) {
  OutputFile file(path);
  file.write(std::as_bytes(std::span(contents.data(), contents.size())));
  file.commit();
}

}  // namespace markeval
