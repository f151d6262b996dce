#include "embed/cache_record.hpp"

#include <cstring>
#include <limits>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace markeval::embed {
namespace {

constexpr std::uint32_t kMagic = 0x6d76'6332;  // "mvc2"

struct Header {
  std::uint32_t magic;
  std::uint32_t rows;
  std::uint32_t columns;
  std::uint32_t length;
  std::uint64_t high, low, check;
  std::uint64_t note;
  std::uint64_t checksum;  // of everything before it and of the numbers behind it
};
static_assert(sizeof(Header) == 56 && offsetof(Header, checksum) == 48);

std::uint64_t checksum(const Header& header, const std::byte* numbers, std::size_t bytes) {
  return XXH3_64bits_withSeed(numbers, bytes, XXH3_64bits(&header, offsetof(Header, checksum)));
}

std::uint32_t stored_length(const CacheKey& key) {
  return static_cast<std::uint32_t>(key.length);
}

}  // namespace

void CachedRows::copy_to(float* out) const {
  if (values() > 0) std::memcpy(out, data, values() * sizeof(float));
}

std::size_t record_bytes(std::size_t rows, std::size_t columns) {
  return sizeof(Header) + rows * columns * sizeof(float);
}

void append_record(const CacheKey& key, MatrixView<const float> rows, std::uint64_t note,
                   std::vector<std::byte>& out) {
  const std::size_t start = out.size();
  const std::size_t row_bytes = rows.columns() * sizeof(float);
  out.resize(start + record_bytes(rows.rows(), rows.columns()));
  std::byte* numbers = out.data() + start + sizeof(Header);
  for (std::size_t row = 0; row < rows.rows() && row_bytes > 0; ++row) {
    std::memcpy(numbers + row * row_bytes, rows.row(row).data(), row_bytes);
  }
  Header header{kMagic,
                static_cast<std::uint32_t>(rows.rows()),
                static_cast<std::uint32_t>(rows.columns()),
                stored_length(key),
                key.high,
                key.low,
                key.check,
                note,
                0};
  header.checksum = checksum(header, numbers, rows.rows() * row_bytes);
  std::memcpy(out.data() + start, &header, sizeof(Header));
}

std::optional<CachedRows> read_record(std::span<const std::byte> record, const CacheKey& key) {
  Header header;
  if (record.size() < sizeof(Header)) return std::nullopt;
  std::memcpy(&header, record.data(), sizeof(Header));
  if (header.magic != kMagic || header.high != key.high || header.low != key.low ||
      header.check != key.check || header.length != stored_length(key)) {
    return std::nullopt;
  }
  // Two 32-bit factors and the size of a float: below 2^66, so the product is compared in halves.
  const std::size_t numbers_bytes = record.size() - sizeof(Header);
  const std::uint64_t values = std::uint64_t{header.rows} * header.columns;
  if (numbers_bytes % sizeof(float) != 0 || values != numbers_bytes / sizeof(float)) return std::nullopt;
  const std::byte* numbers = record.data() + sizeof(Header);
  if (checksum(header, numbers, numbers_bytes) != header.checksum) return std::nullopt;
  return CachedRows{header.rows, header.columns, numbers, header.note};
}

std::optional<CacheKey> record_key(std::span<const std::byte> record) {
  Header header;
  if (record.size() < sizeof(Header)) return std::nullopt;
  std::memcpy(&header, record.data(), sizeof(Header));
  return CacheKey{header.high, header.low, header.check, header.length};
}

}  // namespace markeval::embed
