// Values as bytes, to travel from one process to another of the same version: numbers in the machine's
// order, texts and lists behind their length.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.hpp"

namespace markeval {

class Packer {
 public:
  template <typename T>
  requires std::is_arithmetic_v<T>
  void add(T value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void add(std::string_view text) {
    add(std::uint64_t{text.size()});
    bytes_.append(text);
  }
  template <typename T>
  requires std::is_arithmetic_v<T>
  void add(std::span<const T> values) {
    add(std::uint64_t{values.size()});
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what a Packer wrote, in the same order. Throws Error(invalid_input) where the bytes end too soon.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  requires std::is_arithmetic_v<T> T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::uint64_t count() { return number<std::uint64_t>(); }
  std::string_view text() { return take(count()); }
  template <typename T>
  std::vector<T> numbers() {
    const std::uint64_t size = count();
    if (size > rest_.size() / sizeof(T)) throw_invalid("the bytes of a part end too soon");
    std::vector<T> values(size);
    const std::string_view bytes = take(size * sizeof(T));
    if (size > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  /// How many things follow, each of one byte at least.
  std::size_t size() {
    const std::uint64_t things = count();
    if (things > rest_.size()) throw_invalid("the bytes of a part end too soon");
    return things;
  }
  bool done() const { return rest_.empty(); }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) throw_invalid("the bytes of a part end too soon");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::string_view rest_;
};

}  // namespace markeval
