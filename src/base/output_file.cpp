#include "base/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "base/error.hpp"

namespace markeval {

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw_io(path, "write", EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = Descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!descriptor_) throw_io(path, "write");
    return;
  }
  if (exists) {
    std::error_code failed;
    const auto resolved = std::filesystem::canonical(path, failed);
    if (!failed) target_ = resolved.string();
  }
  const std::filesystem::path target(target_);
  for (int attempt = 0; !descriptor_; ++attempt) {
    // Not made of the file's own name: that may be as long as the file system allows.
    const std::string name = fmt::format(".markeval-{}-{}.tmp", ::getpid(), attempt);
    temporary_ = (target.parent_path() / name).string();
    descriptor_ = Descriptor(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!descriptor_ && (errno != EEXIST || attempt == 1000)) {
      temporary_.clear();
      throw_io(path, "write");
    }
  }
  if (exists && ::fchmod(descriptor_.get(), status.st_mode & 07777) != 0) {
    // The permissions of the older file could not be kept; those of a new file are good enough.
    errno = 0;
  }
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
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
  if (::close(descriptor_.release()) != 0) throw_io(path_, "write");
  if (temporary_.empty()) return;
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
