// How one matrix of floats lies on the disk: a header that repeats the key, then the numbers, all under a
// checksum. A record that was torn, overwritten or filed under a wrong key does not pass; it is a miss, never
// a wrong vector. Native byte order: the header's first word reads differently on a machine of the other
// order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/matrix_view.hpp"
#include "embed/cache_key.hpp"

namespace markeval::embed {

/// A matrix inside a record, perhaps not aligned: to be copied out.
struct CachedRows {
  std::size_t rows = 0;
  std::size_t columns = 0;
  const std::byte* data = nullptr;
  std::uint64_t note = 0;  ///< what the writer wants to be told again: counts of what was cut, for example

  std::size_t values() const { return rows * columns; }
  void copy_to(float* out) const;
};

std::size_t record_bytes(std::size_t rows, std::size_t columns);

/// Appends the record to `out`.
void append_record(const CacheKey& key, MatrixView<const float> rows, std::uint64_t note,
                   std::vector<std::byte>& out);

/// The matrix in `record`, unless the record is damaged or holds another key.
std::optional<CachedRows> read_record(std::span<const std::byte> record, const CacheKey& key);

/// The key `record` says it holds, where it is long enough to say so; nothing else is checked.
std::optional<CacheKey> record_key(std::span<const std::byte> record);

}  // namespace markeval::embed
