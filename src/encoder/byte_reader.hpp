// Bytes of a file that is not to be trusted, read from front to back. What goes beyond the end is an error
// that names the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace markeval::encoder {

class ByteReader {
 public:
  /// `where` is for messages; `bytes` must stay.
  ByteReader(std::span<const std::byte> bytes, std::string where) : bytes_(bytes), where_(std::move(where)) {}

  std::size_t position() const { return position_; }
  std::size_t left() const { return bytes_.size() - position_; }
  bool at_end() const { return left() == 0; }

  std::span<const std::byte> take(std::uint64_t count) {
    if (count > left())
      fail("it ends after " + std::to_string(bytes_.size()) + " bytes, in the middle of something");
    const auto taken = bytes_.subspan(position_, static_cast<std::size_t>(count));
    position_ += taken.size();
    return taken;
  }
  std::string_view text(std::uint64_t count) {
    const auto taken = take(count);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }
  /// A whole number of `Bytes` bytes, the lowest first.
  template <std::size_t Bytes>
  std::uint64_t number() {
    std::uint64_t value = 0;
    const auto taken = take(Bytes);
    for (std::size_t index = Bytes; index-- > 0;)
      value = value << 8 | std::to_integer<std::uint64_t>(taken[index]);
    return value;
  }
  /// Seven bits of each byte, the lowest first; the eighth says that there are more.
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint64_t next = byte();
      value |= (next & 0x7F) << shift;
      if (next < 0x80) return value;
    }
    fail("a number of more than 64 bits");
  }
  std::uint8_t byte() { return static_cast<std::uint8_t>(number<1>()); }
  /// Up to the next line feed, which is left out.
  std::string_view line() {
    std::size_t end = position_;
    while (end < bytes_.size() && bytes_[end] != std::byte{'\n'}) ++end;
    const std::string_view found = text(end - position_);
    take(1);
    return found;
  }

  /// Throws Error(invalid_input): "FILE: damaged: WHAT".
  [[noreturn]] void fail(const std::string& what) const { throw_invalid(where_ + ": damaged: " + what); }
  const std::string& where() const { return where_; }

 private:
  std::span<const std::byte> bytes_;
  std::string where_;
  std::size_t position_ = 0;
};

}  // namespace markeval::encoder
