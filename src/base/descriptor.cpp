// Writing all bytes and trying to lock, both repeated when a signal interrupts the call.
#include "base/descriptor.hpp"

#include <sys/file.h>

#include <cerrno>

#include "base/error.hpp"

namespace markeval {

void write_all(const Descriptor& file, std::span<const std::byte> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_io(path, "write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

bool try_lock_file(const Descriptor& file, const std::string& path) {
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) throw_io(path, "lock");
  }
  return true;
}

}  // namespace markeval
