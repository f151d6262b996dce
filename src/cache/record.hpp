// A key, and how one matrix of floats lies on the disk and travels to another process: a header that repeats
// the key, then the numbers, all under a checksum. A record that was torn, overwritten or filed under a wrong
// key does not pass: it is a miss, never a wrong vector. Bytes are in the machine's order; on a machine of
// the other order the header's first word differs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/matrix_view.hpp"

namespace markeval::cache {

/// A hash of everything a matrix was computed from. A wrong hit would need two inputs that agree in all of
/// it: for n entries the chance is below n^2 / 2^193, with 10^12 entries under 10^-34. The hashes do not
/// resist somebody who builds colliding inputs on purpose; such a person can only spoil the results of the
/// texts that person wrote.
struct Key {
  std::uint64_t high = 0, low = 0;  ///< XXH3, 128 bits
  std::uint64_t check = 0;          ///< XXH64
  std::uint64_t length = 0;         ///< of the input, in bytes

  bool operator==(const Key&) const = default;
};

/// The key of `bytes` among all keys with the same prefix. A prefix is a key too:
///   const Key prefix = make_key({}, "model m, layer 3");
///   const Key key = make_key(prefix, "a text");
Key make_key(const Key& prefix, std::string_view bytes);

/// A matrix out of a record.
struct CachedMatrix {
  std::size_t rows = 0, columns = 0;
  std::vector<float> values;
  std::uint64_t note = 0;

  MatrixView<const float> view() const { return {values.data(), rows, columns}; }
};

/// The record of a matrix; nothing where a side of it has 2^32 or more, or the record would have more than
/// `max_bytes`.
std::optional<std::vector<std::byte>> make_record(const Key& key, MatrixView<const float> rows,
                                                  std::uint64_t note, std::size_t max_bytes);

/// The key a record says it is filed under; nothing where it is too short to say.
std::optional<Key> key_of(std::span<const std::byte> record);

/// Reads the matrix in `record` into `out`; false where the record is damaged or holds another key. The sizes
/// in its header are compared with the size of `record` before anything is done with them.
bool read_record(std::span<const std::byte> record, const Key& key, CachedMatrix& out);

}  // namespace markeval::cache
