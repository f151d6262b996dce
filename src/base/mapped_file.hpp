// A file as read-only memory. Pages come in when touched, so a file larger than memory is fine.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/open_file.hpp"

namespace markeval {

class MappedFile {
 public:
  /// Throws Error(io) with the path and the system's reason. An empty file maps to an empty span.
  explicit MappedFile(const std::string& path);
  /// The same of a file that is open already; `file` need not outlive it.
  explicit MappedFile(const OpenFile& file);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::string& path() const { return path_; }

 private:
  void unmap() noexcept;
  std::string path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace markeval
