// A file written whole or not at all: the bytes go to a file without a name in the same folder, or to a
// temporary one where the file system has no such files; it takes the real name only when the last byte is
// safely on the disk. An error or an interruption leaves an older file
// of that name as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"

namespace markeval {

class OutputFile {
 public:
  /// Throws Error(io) where the file cannot be made. What is no ordinary file (a pipe, /dev/stdout) is
  /// written directly.
  explicit OutputFile(const std::string& path);
  ~OutputFile();  ///< without commit(): nothing stays
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::span<const std::byte> bytes) { write_all(descriptor_, bytes, path_); }
  /// False where the path is no ordinary file and is written directly: then nothing can be changed
  /// afterwards.
  bool replaces() const { return replaces_; }
  /// Overwrites bytes already written; only where replaces().
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Now the file exists under its name. Throws Error(io), for example where the disk is full.
  void commit();

 private:
  std::string folder() const;

  std::string path_;       ///< as the user wrote it, for messages
  std::string target_;     ///< with symbolic links resolved
  std::string temporary_;  ///< empty where the file has no name yet, or is written directly
  bool replaces_ = false;
  Descriptor descriptor_;
};

/// With all folders above it. Throws Error(io).
void make_folders(const std::string& path);

void write_whole_file(const std::string& path, std::string_view contents);

}  // namespace markeval
