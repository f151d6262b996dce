#include "embed/npy.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "embed/npy_header.hpp"

namespace markeval::embed {
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

// All members of a gzip file, one after the other.
std::vector<std::byte> gunzip(std::span<const std::byte> packed, const std::string& path) {
  std::vector<std::byte> result;
  z_stream stream{};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  struct End {
    z_stream& stream;
    ~End() { inflateEnd(&stream); }
  } end{stream};
  std::vector<std::byte> chunk(1 << 18);
  std::size_t offset = 0;
  int status = Z_OK;
  while (offset < packed.size()) {
    const std::size_t offered = std::min<std::size_t>(packed.size() - offset, 1u << 30);
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data() + offset));
    stream.avail_in = static_cast<uInt>(offered);
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    status = inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      throw_invalid(fmt::format("{}: damaged gzip data near byte {}", path, offset));
    }
    offset += offered - stream.avail_in;
    const std::size_t made = chunk.size() - stream.avail_out;
    if (status == Z_BUF_ERROR && made == 0) break;
    result.insert(result.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(made));
    if (status == Z_STREAM_END && offset < packed.size() && inflateReset(&stream) != Z_OK) break;
  }
  while (status == Z_OK) {  // the input is used up, some output may still wait
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    status = inflate(&stream, Z_NO_FLUSH);
    const std::size_t made = chunk.size() - stream.avail_out;
    result.insert(result.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(made));
    if (made == 0) break;
  }
  if (status != Z_STREAM_END) throw_invalid(path + ": truncated gzip data");
  return result;
}

// For what cannot be mapped: standard input, pipes.
std::vector<std::byte> read_stream(int descriptor, const std::string& path) {
  std::vector<std::byte> result;
  std::size_t used = 0;
  while (true) {
    result.resize(std::max<std::size_t>(1 << 16, used * 2));
    while (used < result.size()) {
      const ssize_t count = ::read(descriptor, result.data() + used, result.size() - used);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw_io(path, "read");
      if (count == 0) {
        result.resize(used);
        return result;
      }
      used += static_cast<std::size_t>(count);
    }
  }
}

Vectors interpret_memory(std::vector<std::byte> memory, const std::string& path) {
  if (is_gzip(memory)) memory = gunzip(memory, path);
  const std::span<const std::byte> bytes(memory);  // moving the vector leaves its bytes where they are
  return interpret(bytes, std::move(memory), path);
}

}  // namespace

Vectors read_npy(const std::string& path) {
  if (path == "-") return interpret_memory(read_stream(STDIN_FILENO, "standard input"), "standard input");
  std::error_code unknown;
  const auto kind = std::filesystem::status(path, unknown).type();
  if (kind == std::filesystem::file_type::fifo || kind == std::filesystem::file_type::character) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw_io(path, "open");
    struct Close {
      int descriptor;
      ~Close() { ::close(descriptor); }
    } close{descriptor};
    return interpret_memory(read_stream(descriptor, path), path);
  }
  MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  if (is_gzip(bytes)) return interpret_memory(gunzip(bytes, path), path);
  return interpret(bytes, std::move(file), path);
}

void write_npy(const std::string& path, MatrixView<const float> values) {
  std::string header = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}",
                                   values.rows(), values.columns());
  header.append((128 - (10 + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  std::string start("\x93NUMPY\x01\x00", 8);
  start += static_cast<char>(header.size() & 0xff);
  start += static_cast<char>(header.size() >> 8);
  start += header;
  OutputFile file(path);
  file.write(std::as_bytes(std::span(start)));
  std::vector<std::byte> swapped;
  for (std::size_t row = 0; row < values.rows(); ++row) {
    const auto bytes = std::as_bytes(values.row(row));
    if constexpr (kNativeBig) {
      swapped.assign(bytes.begin(), bytes.end());
      for (std::size_t i = 0; i < swapped.size(); i += 4) {
        std::reverse(swapped.begin() + static_cast<std::ptrdiff_t>(i),
                     swapped.begin() + static_cast<std::ptrdiff_t>(i + 4));
      }
      file.write(swapped);
    } else {
      file.write(bytes);
    }
  }
  file.commit();
}

}  // namespace markeval::embed
