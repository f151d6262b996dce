// The checksum CRC-32C (Castagnoli), and the form in which TensorFlow and LevelDB write it down.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace markeval::encoder {

class Crc32c {
 public:
  void add(std::span<const std::byte> bytes);
  std::uint32_t value() const { return ~state_; }
  /// Turned by 15 bits and shifted, so that a checksum of data that hold checksums is not weak.
  std::uint32_t masked() const {
    const std::uint32_t crc = value();
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
  }

 private:
  std::uint32_t state_ = ~std::uint32_t{0};
};

}  // namespace markeval::encoder
