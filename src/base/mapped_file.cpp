#include "base/mapped_file.hpp"

#include <sys/mman.h>

#include <utility>

#include "base/error.hpp"

namespace markeval {

MappedFile::MappedFile(const std::string& path) : MappedFile(OpenFile(path)) {}

MappedFile::MappedFile(const OpenFile& file) : path_(file.path()), size_(file.size()) {
  if (size_ == 0) return;
  void* memory = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (memory == MAP_FAILED) throw_io(path_, "map");
  data_ = static_cast<const std::byte*>(memory);
}

MappedFile::~MappedFile() {
  unmap();
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    unmap();
    path_ = std::move(other.path_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

void MappedFile::unmap() noexcept {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
  data_ = nullptr;
}

}  // namespace markeval
