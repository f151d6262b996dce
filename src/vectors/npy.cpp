#include "vectors/npy.hpp"

#include <fmt/format.h>

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
#include "base/input_bytes.hpp"
#include "base/output_file.hpp"
#include "vectors/npy_header.hpp"

namespace markeval::vectors {
namespace {

constexpr bool kNativeBig = std::endian::native == std::endian::big;

float widen_half(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 31u;
  const std::uint32_t fraction = half & 1023u;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float subnormal = static_cast<float>(fraction) * 0x1.0p-24f;
  return sign == 0 ? subnormal : -subnormal;
}

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
Vectors in_place(const std::string& path, const NpyHeader& header, const std::byte* data,
                 Vectors::Owner owner) {
  const MatrixView<const T> view(reinterpret_cast<const T*>(data), header.rows, header.columns);
  return {path, view, std::move(owner)};
}

Vectors interpret(std::span<const std::byte> bytes, Vectors::Owner owner, const std::string& path) {
  const NpyHeader header = parse_npy_header(bytes, path);
  const std::size_t width = size_of(header.type);
  const std::size_t needed = header.rows * header.columns * width;
  const std::size_t found = bytes.size() - header.data_offset;
  const std::string what = fmt::format("{} x {} {}", header.rows, header.columns, name(header.type));
  if (found < needed) {
    throw_invalid(fmt::format("{}: truncated: {} need {} bytes, found {}", path, what, needed, found));
  }
  if (found > needed) {
    throw_invalid(fmt::format("{}: {} bytes after the array of {}, expected one array only", path,
                              found - needed, what));
  }
  const std::byte* const data = bytes.data() + header.data_offset;
  const bool swap = header.big_endian != kNativeBig;
  const bool aligned = reinterpret_cast<std::uintptr_t>(data) % width == 0;
  const bool usable = !swap && aligned && (!header.fortran_order || header.columns == 1);
  switch (header.type) {
    case ValueType::float16:
      return owned(path, header, convert<float>(header, data, [&](const std::byte* at) {
                     return widen_half(load<std::uint16_t>(at, swap));
                   }));
    case ValueType::float32:
      if (usable) return in_place<float>(path, header, data, std::move(owner));
      return owned(path, header,
                   convert<float>(header, data, [&](const std::byte* at) { return load<float>(at, swap); }));
    case ValueType::float64:
      break;
  }
  if (usable) return in_place<double>(path, header, data, std::move(owner));
  return owned(path, header,
               convert<double>(header, data, [&](const std::byte* at) { return load<double>(at, swap); }));
}

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

/// For what cannot be mapped: gzip, standard input, pipes.
Vectors read_and_interpret(const std::string& path) {
  InputBytes input(path);
  std::vector<std::byte> memory = input.read_all();
  const std::span<const std::byte> bytes(memory);  // moving the vector leaves its bytes where they are
  return interpret(bytes, std::move(memory), input.name());
}

}  // namespace

Vectors read_npy(const std::string& path) {
  std::error_code unknown;
  const auto kind = std::filesystem::status(path, unknown).type();
  if (path == "-" || kind == std::filesystem::file_type::fifo ||
      kind == std::filesystem::file_type::character)
    return read_and_interpret(path);
  MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  if (is_gzip(bytes)) return read_and_interpret(path);
  return interpret(bytes, std::move(file), path);
}

}  // namespace markeval::vectors
