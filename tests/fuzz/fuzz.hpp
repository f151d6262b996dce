// What all targets share. A target is one function: bytes in, an answer or an Error out. Anything else is a
// finding: a crash, a sanitizer's report, another exception, a hang, a message that would harm a terminal.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace markeval::fuzz {

/// Ends the program with a message: the fuzzer keeps the input that led here.
[[noreturn]] inline void finding(std::string_view what) {
  std::fprintf(stderr, "finding: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

inline void require(bool holds, std::string_view what) {
  if (!holds) finding(what);
}

/// A message is one short line, and no part of the input can steer the terminal through it.
inline void require_harmless(std::string_view message) {
  require(!message.empty() && message.size() < 8192, "an empty or endless message");
  for (const char letter : message) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 0x20 || byte == 0x7F) finding("a control character in a message");
  }
}

/// Runs `work`, which may throw Error and nothing else.
template <typename Work>
void answer_or_error(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    require_harmless(error.what());
  }
}

/// A folder in memory, gone at the end.
class Folder {
 public:
  Folder() : path_("/dev/shm/markeval-fuzz-" + std::to_string(::getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }
  std::string write(const std::string& name, std::string_view content) const {
    const std::string file = path_ + "/" + name;
    std::ofstream(file, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
    return file;
  }

 private:
  std::string path_;
};

/// Takes the parts of an input off its front.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto value = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  /// Up to the next '\0', which is passed over.
  std::string_view part() {
    const std::size_t end = rest_.find('\0');
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return found;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// The next parts of the input become files of these names; an empty part is a file that is not there.
inline void write_parts(Input& input, const Folder& folder, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    const std::string_view part = input.part();
    std::error_code ignored;
    if (part.empty()) {
      std::filesystem::remove(folder.path() + "/" + name, ignored);
    } else {
      folder.write(name, part);
    }
  }
}

/// For targets that unpack gzip: a bomb is refused after 4 MiB, so that a second has room for many inputs.
inline void bound_unpacking() {
  static const bool bounded = ::setenv("MARKEVAL_MAX_UNPACKED", "4M", 1) == 0;
  require(bounded, "no limit");
}

}  // namespace markeval::fuzz
