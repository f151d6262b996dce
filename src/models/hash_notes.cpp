// A note is named after the file's identity and is opened relative to its folder, without following links.
#include "models/hash_notes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <span>

#include "base/descriptor.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"

namespace markeval::models {
namespace {

namespace fs = std::filesystem;

/// The name of a note in its folder.
std::string name_of(const FileIdentity& identity) {
  return sha256_of(identity.text()).substr(0, 32);
}

/// Identity, hash, and a checksum of both: one wrong digit would name other weights.
std::string note_of(const FileIdentity& identity, const std::string& hash) {
  const std::string lines = identity.text() + "\n" + hash + "\n";
  return lines + sha256_of(lines) + "\n";
}

/// Not where it is a link: others may have put it there.
Descriptor open_folder(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

}  // namespace

std::string HashNotes::notes_folder() const {
  return (fs::path(folder_) / "model-hashes").string();
}

std::string HashNotes::path(const FileIdentity& identity) const {
  return (fs::path(notes_folder()) / name_of(identity)).string();
}

std::optional<std::string> HashNotes::find(const FileIdentity& identity) const {
  if (folder_ == "none") return std::nullopt;
  const Descriptor folder = open_folder(notes_folder());
  if (!folder) return std::nullopt;
  // Without O_NONBLOCK a pipe would wait for somebody to write into it.
  const Descriptor file(
      ::openat(folder.get(), name_of(identity).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file || !identity_of(file.get())) return std::nullopt;
  std::array<char, 512> bytes{};
  const ssize_t got = ::read(file.get(), bytes.data(), bytes.size());
  if (got < 0) return std::nullopt;
  const std::string note(bytes.data(), static_cast<std::size_t>(got));
  const std::size_t begin = identity.text().size() + 1;
  if (note.size() < begin + 64) return std::nullopt;
  const std::string hash = note.substr(begin, 64);
  return note == note_of(identity, hash) && is_hex(hash, 64) ? std::optional(hash) : std::nullopt;
}

// No space, or somebody else's folder: the hash is right either way, so nothing is said.
void HashNotes::keep(const FileIdentity& identity, const std::string& hash) const {
  if (folder_ == "none") return;
  std::error_code failed;
  fs::create_directories(notes_folder(), failed);
  const Descriptor folder = open_folder(notes_folder());
  if (!folder) return;
  const std::string name = name_of(identity), temporary = fmt::format("{}.{}.tmp", name, ::getpid());
  Descriptor file(
      ::openat(folder.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file) return;
  const std::string note = note_of(identity, hash);
  const bool is_whole = ::write(file.get(), note.data(), note.size()) == static_cast<ssize_t>(note.size()) &&
                        ::close(file.release()) == 0;
  if (!is_whole || ::renameat(folder.get(), temporary.c_str(), folder.get(), name.c_str()) != 0)
    ::unlinkat(folder.get(), temporary.c_str(), 0);
}

}  // namespace markeval::models
