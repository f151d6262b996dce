// The bytes of a file or of standard input, unpacked where they are gzip. The one reader of gzip in the
// project: lines, word vectors and .npy files all come through it, so all of them notice a damaged file.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace markeval {

class InputBytes {
 public:
  /// `path` "-" is standard input. Content that starts like gzip is unpacked; a name that ends in .gz must be
  /// gzip. Throws Error(io) where it cannot be opened.
  explicit InputBytes(const std::string& path);
  ~InputBytes();
  InputBytes(InputBytes&&) noexcept;
  InputBytes& operator=(InputBytes&&) noexcept;

  /// Puts the next bytes into `out` (not empty) and says how many; 0 only at the end. The end is reached only
  /// after every member of the gzip data was complete and its checksum right. Throws Error(io), and
  /// Error(invalid_input) for gzip data that are cut off, damaged or followed by something else.
  std::size_t read(std::span<char> out);

  /// All that is left.
  std::vector<std::byte> read_all();

  /// The name to use in messages: the path, or "standard input".
  const std::string& name() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace markeval
