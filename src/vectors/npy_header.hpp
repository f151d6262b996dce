// The header of a .npy file: magic, version, and a Python dictionary that tells the type, order and shape.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "vectors/npy.hpp"

namespace markeval::vectors {

struct NpyHeader {
  std::size_t value_bytes = 4;  ///< of a float16, float32 or float64
  bool big_endian = false;
  bool fortran_order = false;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t layers = 1;  ///< of a 3-D array: the columns are those of all layers
};

/// So many bytes of a file say how long its header is, or what else it is. No header is shorter.
inline constexpr std::size_t kNpyPrefixBytes = 16;

/// How many bytes of the file parse_npy_header() needs; `start` holds its first kNpyPrefixBytes, or all of
/// it. Throws Error(invalid_input) where this is no .npy file or its header is beyond its limit.
std::size_t npy_header_bytes(std::span<const std::byte> start, const std::string& path);

/// `file` begins with the whole header. Throws Error(invalid_input) for everything that is no float array of
/// the expected shape with at least one row and one column.
NpyHeader parse_npy_header(std::span<const std::byte> file, const std::string& path, NpyShape expected);

}  // namespace markeval::vectors
