// The bytes of a file or of standard input, unpacked where they are gzip. The one reader of gzip in the
// project: lines, word vectors and .npy files all come through it, so all of them notice a damaged file.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace markeval {

/// What messages call an input: its path, or "standard input".
std::string input_name(const std::string& path);

/// Whether it can be read only once: standard input ("-"), a pipe, a terminal.
bool is_stream(const std::string& path);

/// Throws Error(usage) where a stream is named twice: whoever opens a pipe second waits for ever.
void require_streams_once(std::span<const std::string> paths);

class InputBytes {
 public:
  /// `path` "-" is standard input. Content that starts like gzip is unpacked; a name that ends in .gz must be
  /// gzip. Throws Error(io) where it cannot be opened.
  /// Where standard input or a pipe lets wait, Error(cancelled) follows soon after the flag of the thread is
  /// set (base/cancellation.hpp).
  explicit InputBytes(const std::string& path);
  ~InputBytes();
  InputBytes(InputBytes&&) noexcept;
  InputBytes& operator=(InputBytes&&) noexcept;

  /// Puts the next bytes into `out` (not empty) and says how many; 0 only at the end. The end is reached only
  /// after every member of the gzip data was complete and its checksum right. Throws Error(io), also where
  /// the file was changed since it was opened, and Error(invalid_input) for gzip data that are cut off,
  /// damaged, followed by something else or larger than their limit (base/limits.hpp).
  std::size_t read(std::span<char> out);

  /// The name to use in messages: the path, or "standard input".
  const std::string& name() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace markeval
