#include "vectors/npy_writer.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"

namespace markeval::vectors {
namespace {

constexpr std::size_t kHeaderBytes =
    128;  // NumPy asks for a multiple of 64; this holds any shape of three sizes
constexpr std::size_t kBufferedValues = std::size_t{1} << 18;

std::string header(std::uint64_t rows, const std::vector<std::size_t>& inner) {
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows);
  for (const std::size_t size : inner) text += ", " + std::to_string(size);
  text += "), }";
  text.resize(kHeaderBytes - 11, ' ');
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(kHeaderBytes - 10) + '\0' + text + '\n';
}

}  // namespace

NpyWriter::NpyWriter(const std::string& path, std::vector<std::size_t> inner)
    : inner_(std::move(inner)), file_(path) {
  if (!file_.replaces()) throw_usage(path + ": not an ordinary file, which vectors need");
  for (const std::size_t size : inner_) row_values_ *= size;
  buffer_.reserve(kBufferedValues + row_values_);
  const std::string start = header(0, inner_);
  file_.write(std::as_bytes(std::span(start)));
}

void NpyWriter::write(std::span<const float> values) {
  values_ += values.size();
  buffer_.insert(buffer_.end(), values.begin(), values.end());
  if (buffer_.size() >= kBufferedValues) flush();
}

void NpyWriter::flush() {
  if constexpr (std::endian::native == std::endian::big) {
    for (float& value : buffer_)
      value = std::bit_cast<float>(__builtin_bswap32(std::bit_cast<std::uint32_t>(value)));
  }
  file_.write(std::as_bytes(std::span<const float>(buffer_)));
  buffer_.clear();
}

void NpyWriter::commit() {
  flush();
  const std::string start = header(rows(), inner_);
  file_.write_at(0, std::as_bytes(std::span(start)));
  file_.commit();
}

}  // namespace markeval::vectors
