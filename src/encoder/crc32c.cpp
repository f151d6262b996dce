// Table lookup, eight bytes at a time.
#include "encoder/crc32c.hpp"

namespace markeval::encoder {
namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // its bits in reverse order

// tables[k][b] is what a byte b does when k more bytes follow it, so that eight are taken at a time.
constexpr auto kTables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? value >> 1 ^ kPolynomial : value >> 1;
    tables[0][byte] = value;
  }
  for (std::size_t table = 1; table < tables.size(); ++table) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[table - 1][byte];
      tables[table][byte] = before >> 8 ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}();

}  // namespace

void Crc32c::add(std::span<const std::byte> bytes) {
  std::uint32_t crc = state_;
  while (bytes.size() >= kTables.size()) {
    std::uint32_t next = 0;
    for (std::size_t index = 0; index < kTables.size(); ++index) {
      const std::uint32_t old = index < 4 ? crc >> (8 * index) & 0xFF : 0;
      next ^= kTables[kTables.size() - 1 - index][old ^ std::to_integer<std::uint32_t>(bytes[index])];
    }
    crc = next;
    bytes = bytes.subspan(kTables.size());
  }
  for (const std::byte byte : bytes)
    crc = crc >> 8 ^ kTables[0][(crc & 0xFF) ^ std::to_integer<std::uint32_t>(byte)];
  state_ = crc;
}

}  // namespace markeval::encoder
