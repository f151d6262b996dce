#include "vectors/npy.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/float16.hpp"
#include "base/input_bytes.hpp"
#include "vectors/npy_header.hpp"

namespace markeval::vectors {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{4} << 20;
constexpr std::size_t kBufferedValues = std::size_t{1} << 18;
/// Of a header we write. NumPy asks for a multiple of 64; this holds any shape of three sizes.
constexpr std::size_t kHeaderBytes = 128;

template <typename Bits>
Bits load(const std::byte* from, bool swap) {
  std::array<std::byte, sizeof(Bits)> bytes;
  std::memcpy(bytes.data(), from, sizeof(Bits));
  if (swap) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<Bits>(bytes);
}

// `decode` turns the bytes of one value into a T; `out` is in C order whatever the file's order is.
template <typename T, typename Decode>
void convert(const NpyHeader& header, const std::byte* data, Decode decode, T* out) {
  const std::size_t width = header.value_bytes;
  if (!header.fortran_order) {
    for (std::size_t i = 0; i < header.rows * header.columns; ++i) out[i] = decode(data + i * width);
    return;
  }
  constexpr std::size_t kBlock = 64;  // rows, so that a block of columns stays in the cache
  for (std::size_t first = 0; first < header.rows; first += kBlock) {
    const std::size_t end = std::min(header.rows, first + kBlock);
    for (std::size_t column = 0; column < header.columns; ++column) {
      for (std::size_t row = first; row < end; ++row)
        out[row * header.columns + column] = decode(data + (column * header.rows + row) * width);
    }
  }
}

/// `bytes`: what follows the header, as many as it tells of. They stay where they are if they can.
template <typename T>
Vectors as_rows(const NpyHeader& header, ByteStore bytes, const std::string& path) {
  const bool swap = header.big_endian;  // machines are little endian (encoder/safetensors.cpp)
  if (header.value_bytes != sizeof(T) || swap || (header.fortran_order && header.columns > 1)) {
    ByteStore converted("");
    T* const out = reinterpret_cast<T*>(converted.extend(header.rows * header.columns * sizeof(T)).data());
    const auto decode = [&](const std::byte* at) -> T {
      return header.value_bytes == 2 ? from_half(load<std::uint16_t>(at, swap)) : load<T>(at, swap);
    };
    convert(header, bytes.bytes().data(), decode, out);
    bytes = std::move(converted);
  }
  const MatrixView<const T> view(reinterpret_cast<const T*>(bytes.bytes().data()), header.rows,
                                 header.columns);
  return {path, view, std::move(bytes), header.layers};
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

std::string header_of(std::uint64_t rows, const std::vector<std::size_t>& inner) {
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows);
  for (const std::size_t size : inner) text += ", " + std::to_string(size);
  text += "), }";
  text.resize(kHeaderBytes - 11, ' ');
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(kHeaderBytes - 10) + '\0' + text + '\n';
}

}  // namespace

// The file is copied, not mapped: whoever cuts or rewrites it during a long run changes nothing here, and who
// does so while it is being read meets an error (base/input_bytes).
Vectors read_npy(const std::string& path, const std::atomic<bool>* cancel, NpyShape expected) {
  InputBytes input(path, cancel);
  const std::string& name = input.name();
  ByteStore start{""};
  read_up_to(input, kNpyPrefixBytes, start);
  read_up_to(input, npy_header_bytes(start.bytes(), name), start);
  const NpyHeader header = parse_npy_header(start.bytes(), name, expected);
  const std::size_t needed = header.rows * header.columns * header.value_bytes;
  const std::string what =
      fmt::format("{} x {} float{}", header.rows, header.columns, header.value_bytes * 8);
  ByteStore data(folder_for(needed, path));
  read_up_to(input, needed, data);
  if (const std::size_t found = data.bytes().size(); found < needed)
    throw_invalid(fmt::format("{}: truncated: {} need {} bytes, found {}", name, what, needed, found));
  if (const std::size_t more = skip_rest(input); more > 0)
    throw_invalid(
        fmt::format("{}: {} bytes after the array of {}, expected one array only", name, more, what));
  return header.value_bytes == sizeof(double) ? as_rows<double>(header, std::move(data), name)
                                              : as_rows<float>(header, std::move(data), name);
}

NpyWriter::NpyWriter(const std::string& path, std::vector<std::size_t> inner)
    : inner_(std::move(inner)), file_(path) {
  if (!file_.replaces()) throw_usage(path + ": not an ordinary file, which vectors need");
  for (const std::size_t size : inner_) row_values_ *= size;
  buffer_.reserve(kBufferedValues + row_values_);
  file_.write(std::as_bytes(std::span<const char>(header_of(0, inner_))));
}

void NpyWriter::write(std::span<const float> values) {
  values_ += values.size();
  buffer_.insert(buffer_.end(), values.begin(), values.end());
  if (buffer_.size() >= kBufferedValues) flush();
}

void NpyWriter::flush() {
  file_.write(std::as_bytes(std::span(buffer_)));
  buffer_.clear();
}

void NpyWriter::commit() {
  flush();
  file_.write_at(0, std::as_bytes(std::span<const char>(header_of(rows(), inner_))));
  file_.commit();
}

}  // namespace markeval::vectors
