// A file that stays what it was when it was opened, whatever happens to its name afterwards; and how to see
// that its bytes have not changed meanwhile. Used for the weights of a model: what is hashed and what is
// loaded must be the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/descriptor.hpp"

namespace markeval {

/// Which state of which file. Writing into a file changes it, and so does putting another one in its place,
/// with the old time of change as well (`cp -p`): nobody can set `changed_ns`. Only two changes within one
/// tick of the file system's clock, some milliseconds, look alike.
struct FileIdentity {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t modified_ns = 0;  ///< mtime
  std::int64_t changed_ns = 0;   ///< ctime

  bool operator==(const FileIdentity&) const = default;
  /// The five numbers with blanks between them.
  std::string text() const;
};

/// Identity of the file that has this name now; nothing where there is none.
std::optional<FileIdentity> identity_of(const std::string& path);

/// The same of an open file; nothing where it is no ordinary one.
std::optional<FileIdentity> identity_of(int descriptor);
/// Throws Error(io) where the bytes of the open file are not those of `before` any more.
void require_unchanged(int descriptor, const FileIdentity& before, const std::string& name);

class OpenFile {
 public:
  /// Throws Error(io) where it cannot be opened or is no ordinary file.
  explicit OpenFile(const std::string& path);

  /// The same file once more, in the state it had when it was opened first.
  OpenFile duplicate() const;

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_.get(); }
  /// As it was when the file was opened.
  const FileIdentity& identity() const { return identity_; }
  std::size_t size() const { return static_cast<std::size_t>(identity_.size); }

  /// Whether the path leads to this file now, in this state.
  bool is_current() const { return identity_of(path_) == identity_; }
  /// To be called when the bytes have been read. Throws Error(io) where they changed since the file was
  /// opened.
  void require_unchanged() const { markeval::require_unchanged(descriptor(), identity_, path_); }

  /// Bytes [offset, offset + out.size()), which must be inside the file. Throws Error(io).
  void read_at(std::uint64_t offset, std::span<std::byte> out) const;
  /// All of it, unchanged. Throws Error(invalid_input) where it is longer than `most_bytes`.
  std::string read_all(std::size_t most_bytes) const;

 private:
  OpenFile() = default;

  std::string path_;
  Descriptor descriptor_;
  FileIdentity identity_;
};

}  // namespace markeval
