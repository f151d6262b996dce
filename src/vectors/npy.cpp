#include "vectors/npy.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/float16.hpp"
#include "base/input_bytes.hpp"
#include "base/output_file.hpp"
#include "vectors/npy_header.hpp"

namespace markeval::vectors {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{4} << 20;
constexpr bool kNativeBig = std::endian::native == std::endian::big;

template <typename Bits>
Bits load(const std::byte* from, bool swap) {
  std::array<std::byte, sizeof(Bits)> bytes;
  std::memcpy(bytes.data(), from, sizeof(Bits));
  if (swap) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<Bits>(bytes);
}

// `decode` turns the bytes of one value into a T; the result is in C order whatever the file's order is.
template <typename T, typename Decode>
AlignedBuffer<T> convert(const NpyHeader& header, const std::byte* data, Decode decode) {
  AlignedBuffer<T> values(header.rows * header.columns);
  const std::size_t width = size_of(header.type);
  if (!header.fortran_order) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = decode(data + i * width);
    return values;
  }
  constexpr std::size_t kBlock = 64;  // rows, so that a block of columns stays in the cache
  for (std::size_t first = 0; first < header.rows; first += kBlock) {
    const std::size_t end = std::min(header.rows, first + kBlock);
    for (std::size_t column = 0; column < header.columns; ++column) {
      for (std::size_t row = first; row < end; ++row) {
        values[row * header.columns + column] = decode(data + (column * header.rows + row) * width);
      }
    }
  }
  return values;
}

template <typename T>
Vectors owned(const std::string& path, const NpyHeader& header, AlignedBuffer<T> values) {
  const MatrixView<const T> view(values.data(), header.rows, header.columns);
  return {path, view, std::move(values)};
}

template <typename T>
Vectors in_place(const std::string& path, const NpyHeader& header, ByteStore bytes) {
  const MatrixView<const T> view(reinterpret_cast<const T*>(bytes.bytes().data()), header.rows,
                                 header.columns);
  return {path, view, std::move(bytes)};
}

/// `data`: what follows the header, as many bytes as it tells of.
Vectors interpret(const NpyHeader& header, ByteStore bytes, const std::string& path) {
  const std::byte* const data = bytes.bytes().data();
  const bool swap = header.big_endian != kNativeBig;
  const bool usable = !swap && (!header.fortran_order || header.columns == 1);
  switch (header.type) {
    case ValueType::float16:
      return owned(path, header, convert<float>(header, data, [&](const std::byte* at) {
                     return from_half(load<std::uint16_t>(at, swap));
                   }));
    case ValueType::float32:
      if (usable) return in_place<float>(path, header, std::move(bytes));
      return owned(path, header,
                   convert<float>(header, data, [&](const std::byte* at) { return load<float>(at, swap); }));
    case ValueType::float64:
      break;
  }
  if (usable) return in_place<double>(path, header, std::move(bytes));
  return owned(path, header,
               convert<double>(header, data, [&](const std::byte* at) { return load<double>(at, swap); }));
}

/// Reads until `bytes` holds `wanted` or the file ends. What is asked of the machine grows with what came.
void read_up_to(InputBytes& input, std::size_t wanted, ByteStore& bytes) {
  while (bytes.bytes().size() < wanted) {
    const std::size_t room = std::min(kBlockBytes, wanted - bytes.bytes().size());
    const std::span<std::byte> out = bytes.extend(room);
    const std::size_t got = input.read({reinterpret_cast<char*>(out.data()), room});
    bytes.shrink(room - got);
    if (got == 0) return;
  }
}

std::size_t skip_rest(InputBytes& input) {
  std::array<char, 4096> block;
  std::size_t skipped = 0;
  for (std::size_t got = input.read(block); got > 0; got = input.read(block)) skipped += got;
  return skipped;
}

/// Empty: in memory. Rows that would take half of it go to a file without a name. The header tells how many
/// bytes there are, but no file holds more than its size allows: gzip packs 1,032 bytes into one at most.
std::string folder_for(std::size_t bytes, const std::string& path) {
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  if (!unknown && size < bytes / 1032) return {};
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return {};
  const std::size_t memory = static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
  return bytes > memory / 2 ? temporary_folder() : std::string{};
}

// The file is copied, not mapped: whoever cuts or rewrites it during a long run changes nothing here, and who
// does so while it is being read meets an error (base/input_bytes).
LayeredRows read_array(const std::string& path, const std::atomic<bool>* cancel, NpyShape expected) {
  InputBytes input(path, cancel);
  const std::string& name = input.name();
  ByteStore start{""};
  read_up_to(input, kNpyPrefixBytes, start);
  read_up_to(input, npy_header_bytes(start.bytes(), name), start);
  const NpyHeader header = parse_npy_header(start.bytes(), name, expected);
  const std::size_t needed = header.rows * header.columns * size_of(header.type);
  const std::string what =
      fmt::format("{} x {} {}", header.rows, header.columns, markeval::vectors::name(header.type));
  ByteStore data(folder_for(needed, path));
  read_up_to(input, needed, data);
  if (const std::size_t found = data.bytes().size(); found < needed)
    throw_invalid(fmt::format("{}: truncated: {} need {} bytes, found {}", name, what, needed, found));
  if (const std::size_t more = skip_rest(input); more > 0)
    throw_invalid(
        fmt::format("{}: {} bytes after the array of {}, expected one array only", name, more, what));
  return {interpret(header, std::move(data), name), header.layers};
}

}  // namespace

Vectors read_npy(const std::string& path, const std::atomic<bool>* cancel) {
  return read_array(path, cancel, NpyShape::rows).rows;
}

LayeredRows read_layered_npy(const std::string& path, const std::atomic<bool>* cancel) {
  return read_array(path, cancel, NpyShape::layered);
}

}  // namespace markeval::vectors
