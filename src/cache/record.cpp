// The 64-byte header, the XXH3 checksum over header and numbers, and the checks made when a record is read.
#include "cache/record.hpp"

#include <cstring>
#include <limits>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace markeval::cache {
namespace {

constexpr std::uint64_t kMagic = 0x3363'766d'6c61'766d;

struct RecordHeader {
  std::uint64_t magic;
  Key key;
  std::uint32_t rows, columns;
  std::uint64_t note;
  std::uint64_t checksum;  // of everything before it and of the numbers behind it
};
static_assert(sizeof(RecordHeader) == 64 && offsetof(RecordHeader, checksum) == 56);

std::uint64_t checksum(const RecordHeader& header, std::span<const std::byte> numbers) {
  const std::uint64_t of_header = XXH3_64bits(&header, offsetof(RecordHeader, checksum));
  return XXH3_64bits_withSeed(numbers.data(), numbers.size(), of_header);
}

}  // namespace

Key make_key(const Key& prefix, std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), prefix.low);
  return {hash.high64, hash.low64, XXH64(bytes.data(), bytes.size(), prefix.high), bytes.size()};
}

std::optional<std::vector<std::byte>> make_record(const Key& key, MatrixView<const float> rows,
                                                  std::uint64_t note, std::size_t max_bytes) {
  constexpr std::size_t kMostPerSide = std::numeric_limits<std::uint32_t>::max();
  const std::size_t row_bytes = rows.columns() * sizeof(float);
  const std::size_t bytes = sizeof(RecordHeader) + rows.rows() * row_bytes;
  if (rows.rows() > kMostPerSide || rows.columns() > kMostPerSide || bytes > max_bytes) return std::nullopt;
  std::vector<std::byte> record(bytes);
  const auto numbers = std::span(record).subspan(sizeof(RecordHeader));
  for (std::size_t row = 0; row < rows.rows() && row_bytes > 0; ++row) {
    std::memcpy(numbers.data() + row * row_bytes, rows.row(row).data(), row_bytes);
  }
  RecordHeader header{
      kMagic, key, static_cast<std::uint32_t>(rows.rows()), static_cast<std::uint32_t>(rows.columns()),
      note,   0};
  header.checksum = checksum(header, numbers);
  std::memcpy(record.data(), &header, sizeof(RecordHeader));
  return record;
}

std::optional<Key> key_of(std::span<const std::byte> record) {
  RecordHeader header;
  if (record.size() < sizeof(RecordHeader)) return std::nullopt;
  std::memcpy(&header, record.data(), sizeof(RecordHeader));
  return header.key;
}

bool read_record(std::span<const std::byte> record, const Key& key, CachedMatrix& out) {
  RecordHeader header;
  if (record.size() < sizeof(RecordHeader)) return false;
  std::memcpy(&header, record.data(), sizeof(RecordHeader));
  const auto numbers = record.subspan(sizeof(RecordHeader));
  if (header.magic != kMagic || header.key != key || numbers.size() % sizeof(float) != 0) return false;
  // The product of two 32-bit numbers fits 64 bits; times the size of a float it might not, so that is
  // divided away.
  const std::uint64_t values = std::uint64_t{header.rows} * header.columns;
  if (values != numbers.size() / sizeof(float) || checksum(header, numbers) != header.checksum) return false;
  out.rows = header.rows;
  out.columns = header.columns;
  out.note = header.note;
  out.values.resize(values);
  if (values > 0) std::memcpy(out.values.data(), numbers.data(), numbers.size());
  return true;
}

}  // namespace markeval::cache
