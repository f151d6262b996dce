#include "vectors/row_store.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"

namespace markeval::vectors {
namespace {

constexpr std::size_t kFirstBytes = std::size_t{1} << 16;

}  // namespace

ByteStore::ByteStore(std::string folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  std::string path = folder_ + "/markeval-rows-XXXXXX";
  file_ = Descriptor(::mkostemp(path.data(), O_CLOEXEC));
  if (!file_) throw_io(folder_, "make a file for vectors");
  ::unlink(path.c_str());
}

ByteStore::~ByteStore() {
  if (data_ != nullptr) ::munmap(data_, capacity_);
}

ByteStore& ByteStore::operator=(ByteStore&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(file_, other.file_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
  return *this;
}

/// Room to spare costs nothing: the system gives a page when it is first written.
void ByteStore::grow(std::size_t needed) {
  const std::size_t wanted = std::max({needed, capacity_ * 2, kFirstBytes});
  if (file_) {
    // Written to a page without space on the disk, the process would be ended by a signal.
    const int reason = ::posix_fallocate(file_.get(), 0, static_cast<off_t>(wanted));
    if (reason != 0) throw_io(folder_, "keep vectors in a file there", reason);
  }
  const int kind = file_ ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  void* const memory = data_ != nullptr
                           ? ::mremap(data_, capacity_, wanted, MREMAP_MAYMOVE)
                           : ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE, kind, file_.get(), 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(memory);
  capacity_ = wanted;
}

std::span<std::byte> ByteStore::extend(std::size_t count) {
  if (count > capacity_ - size_) grow(size_ + count);
  size_ += count;
  return {data_ + size_ - count, count};
}

std::string temporary_folder() {
  const std::string_view folder = environment("TMPDIR");
  return std::string(folder.empty() ? "/tmp" : folder);
}

}  // namespace markeval::vectors
