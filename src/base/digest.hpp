// Checksums of files as lower-case hex digits: sha256 as model hubs publish it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/open_file.hpp"

namespace markeval {

class Digest {
 public:
  enum class HashKind { sha1, sha256 };
  explicit Digest(HashKind kind);
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  void add(std::string_view bytes);
  /// Bytes [begin, begin + count) of the file, read block by block. Throws Error(io).
  void add(const OpenFile& file, std::size_t begin, std::size_t count);
  std::string hex();  ///< once, at the end

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_of(std::string_view bytes);
/// Digest of all bytes of an open file. Throws Error(io), also where they changed meanwhile.
std::string sha256_of(const OpenFile& file);
/// Throws Error(io).
std::string sha256_of_file(const std::string& path);
/// `text` has so many lower-case hex digits and nothing else.
bool is_hex(std::string_view text, std::size_t digits);
/// What git calls the file: sha1 over "blob SIZE\0" and its bytes. Throws Error(io).
std::string git_blob_id_of_file(const std::string& path);

}  // namespace markeval
