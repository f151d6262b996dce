// Reads go through one descriptor in steps of at most 64 MiB. A file's identity is its device, inode, size
// and times.
#include "base/open_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/cancellation.hpp"
#include "base/error.hpp"

namespace markeval {
namespace {

constexpr std::size_t kLargestRead = std::size_t{1} << 26;  // so that a read can be stopped

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

FileIdentity from_status(const struct stat& status) {
  return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino),
          static_cast<std::uint64_t>(status.st_size), nanoseconds(status.st_mtim),
          nanoseconds(status.st_ctim)};
}

}  // namespace

std::string FileIdentity::text() const {
  return fmt::format("{} {} {} {} {}", device, inode, size, modified_ns, changed_ns);
}

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return from_status(status);
}

std::optional<FileIdentity> identity_of(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return from_status(status);
}

void require_unchanged(int descriptor, const FileIdentity& before, const std::string& name) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw_io(name, "read");
  const FileIdentity now = from_status(status);
  // Replacing a file by another changes when its status changed, through the number of names it has; its
  // bytes are those of before.
  if (now.size == before.size && now.modified_ns == before.modified_ns &&
      (now.changed_ns == before.changed_ns || status.st_nlink == 0))
    return;
  throw Error(ErrorCode::io, name + ": was changed while it was in use; run again");
}

OpenFile::OpenFile(const std::string& path) : path_(path) {
  // Without O_NONBLOCK opening a pipe would wait for somebody to write into it.
  descriptor_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!descriptor_) throw_io(path, "open");
  struct stat status {};
  if (::fstat(descriptor(), &status) != 0) throw_io(path, "read");
  if (S_ISDIR(status.st_mode)) throw_io(path, "read", EISDIR);
  if (!S_ISREG(status.st_mode))
    throw Error(ErrorCode::io, path + ": a pipe, a socket or a device, expected an ordinary file");
  identity_ = from_status(status);
}

OpenFile OpenFile::duplicate() const {
  OpenFile copy;
  copy.path_ = path_;
  copy.identity_ = identity_;
  copy.descriptor_ = Descriptor(::fcntl(descriptor(), F_DUPFD_CLOEXEC, 0));
  if (!copy.descriptor_) throw_io(path_, "open");
  return copy;
}

void OpenFile::read_at(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    check_cancelled();
    const ssize_t got =
        ::pread(descriptor(), out.data(), std::min(out.size(), kLargestRead), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_io(path_, "read");
    if (got == 0) throw Error(ErrorCode::io, path_ + ": became shorter while it was read; run again");
    out = out.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

std::string OpenFile::read_all(std::size_t most_bytes) const {
  if (size() > most_bytes)
    throw_invalid(fmt::format("{}: {} bytes, expected at most {}", path_, size(), most_bytes));
  std::string text(size(), '\0');
  read_at(0, std::as_writable_bytes(std::span(text)));
  require_unchanged();
  return text;
}

}  // namespace markeval
