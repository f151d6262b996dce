// Element sizes, and reading of F32, F16 and BF16 numbers as floats, contiguous or with strides.
#include "encoder/tensor_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>

#include "base/float16.hpp"

namespace markeval::encoder {

std::size_t Tensor::elements() const {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  return count;
}

std::string describe_shape(std::span<const std::size_t> shape) {
  const std::size_t shown = std::min<std::size_t>(shape.size(), 8);
  return fmt::format("[{}{}]", fmt::join(shape.first(shown), ", "), shown < shape.size() ? ", ..." : "");
}

std::optional<std::size_t> element_bytes(std::string_view dtype) {
  if (dtype == "F64" || dtype == "I64" || dtype == "U64") return 8;
  if (dtype == "F32" || dtype == "I32" || dtype == "U32") return 4;
  if (dtype == "F16" || dtype == "BF16" || dtype == "I16" || dtype == "U16") return 2;
  if (dtype == "I8" || dtype == "U8" || dtype == "BOOL" || dtype == "F8_E4M3" || dtype == "F8_E5M2") return 1;
  return std::nullopt;
}

bool is_float_type(std::string_view dtype) {
  return dtype == "F32" || dtype == "F16" || dtype == "BF16";
}

TensorFile::TensorFile(const OpenFile& file, std::size_t data_begin, Tensors tensors)
    : path_(file.path()), file_(file.duplicate()), data_begin_(data_begin), tensors_(std::move(tensors)) {}
TensorFile::TensorFile(std::string path, std::span<const std::byte> bytes, std::size_t data_begin,
                       Tensors tensors)
    : path_(std::move(path)), bytes_(bytes), data_begin_(data_begin), tensors_(std::move(tensors)) {}

const Tensor* TensorFile::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

void TensorFile::read_at(std::size_t begin, std::span<std::byte> out) const {
  if (file_) return file_->read_at(begin, out);
  std::copy_n(bytes_.data() + begin, out.size(), out.data());
}

void TensorFile::read_run(const Tensor& tensor, std::size_t first, std::span<float> out) const {
  const std::size_t width = tensor.dtype == "F32" ? sizeof(float) : sizeof(std::uint16_t);
  const std::size_t begin = data_begin_ + tensor.begin + first * width;
  assert(is_float_type(tensor.dtype) && (first + out.size()) * width <= tensor.bytes);
  if (tensor.dtype == "F32") return read_at(begin, std::as_writable_bytes(out));
  // The 16-bit numbers lie in the second half of the room for their results, and are widened from the front:
  // none is overwritten before its turn.
  const std::span<std::byte> packed = std::as_writable_bytes(out).last(out.size() * width);
  read_at(begin, packed);
  const bool half = tensor.dtype == "F16";
  for (std::size_t index = 0; index < out.size(); ++index) {
    std::uint16_t bits;
    std::memcpy(&bits, packed.data() + index * width, sizeof bits);
    out[index] = half ? from_half(bits) : std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
}

void TensorFile::read(const Tensor& tensor, std::size_t first, std::span<float> out) const {
  if (out.empty()) return;
  if (tensor.is_contiguous()) return read_run(tensor, first, out);
  std::vector<float> run(tensor.bytes / *element_bytes(tensor.dtype));
  read_run(tensor, 0, run);
  // The place of the first element, then one step of an odometer for each.
  std::vector<std::size_t> at(tensor.shape.size());
  std::size_t offset = 0, rest = first;
  for (std::size_t dimension = at.size(); dimension-- > 0;) {
    at[dimension] = rest % tensor.shape[dimension];
    rest /= tensor.shape[dimension];
    offset += at[dimension] * tensor.strides[dimension];
  }
  for (float& value : out) {
    value = run[offset];
    for (std::size_t dimension = at.size(); dimension-- > 0;) {
      offset += tensor.strides[dimension];
      if (++at[dimension] < tensor.shape[dimension]) break;
      offset -= at[dimension] * tensor.strides[dimension];
      at[dimension] = 0;
    }
  }
}

}  // namespace markeval::encoder
