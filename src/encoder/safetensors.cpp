#include "encoder/safetensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"

namespace markeval::encoder {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the limit of the format's own reader

[[noreturn]] void damaged(const std::string& path, const std::string& what) {
  throw_invalid(path + ": damaged safetensors file: " + what);
}

std::optional<std::size_t> element_bytes(std::string_view dtype) {
  if (dtype == "F64" || dtype == "I64" || dtype == "U64") return 8;
  if (dtype == "F32" || dtype == "I32" || dtype == "U32") return 4;
  if (dtype == "F16" || dtype == "BF16" || dtype == "I16" || dtype == "U16") return 2;
  if (dtype == "I8" || dtype == "U8" || dtype == "BOOL" || dtype == "F8_E4M3" || dtype == "F8_E5M2") return 1;
  return std::nullopt;
}

std::size_t read_length(const std::string& path, std::span<const std::byte> bytes) {
  if (bytes.size() < kLengthBytes) {
    damaged(path, fmt::format("{} bytes, expected at least {} for the header's length", bytes.size(),
                              kLengthBytes));
  }
  std::uint64_t length = 0;
  for (std::size_t index = kLengthBytes; index-- > 0;) {
    length = length << 8 | std::to_integer<std::uint64_t>(bytes[index]);
  }
  const std::size_t rest = bytes.size() - kLengthBytes;
  if (length > rest) {
    damaged(path, fmt::format("the header claims {} bytes, the file has {} left", length, rest));
  }
  if (length > kMaxHeaderBytes) {
    damaged(path, fmt::format("the header claims {} bytes, at most {} are allowed", length, kMaxHeaderBytes));
  }
  return static_cast<std::size_t>(length);
}

std::size_t read_size(const std::string& path, const std::string& name, const char* what, const Json& value) {
  if (!value.is_number_unsigned()) {
    damaged(path,
            fmt::format("tensor '{}': {} holds {}, expected a whole number >= 0", name, what, value.dump()));
  }
  return value.get<std::size_t>();
}

Tensor read_entry(const std::string& path, const std::string& name, const Json& entry,
                  std::span<const std::byte> data) {
  if (!entry.is_object()) damaged(path, fmt::format("tensor '{}': expected an object", name));
  for (const char* key : {"dtype", "shape", "data_offsets"}) {
    if (!entry.contains(key)) damaged(path, fmt::format("tensor '{}' has no '{}'", name, key));
  }
  const Json& dtype = entry["dtype"];
  const Json& shape = entry["shape"];
  const Json& offsets = entry["data_offsets"];
  if (!dtype.is_string()) damaged(path, fmt::format("tensor '{}': dtype is no string", name));
  if (!shape.is_array()) damaged(path, fmt::format("tensor '{}': shape is no list", name));
  if (!offsets.is_array() || offsets.size() != 2) {
    damaged(path, fmt::format("tensor '{}': data_offsets is no list of two", name));
  }
  Tensor tensor;
  tensor.dtype = dtype.get<std::string>();
  const std::optional<std::size_t> width = element_bytes(tensor.dtype);
  if (!width) damaged(path, fmt::format("tensor '{}': unknown dtype '{}'", name, tensor.dtype));
  std::size_t bytes = *width;
  for (const Json& extent : shape) {
    tensor.shape.push_back(read_size(path, name, "shape", extent));
    if (__builtin_mul_overflow(bytes, tensor.shape.back(), &bytes)) {
      damaged(path, fmt::format("tensor '{}': shape {} is too large", name, describe_shape(tensor.shape)));
    }
  }
  const std::size_t begin = read_size(path, name, "data_offsets", offsets[0]);
  const std::size_t end = read_size(path, name, "data_offsets", offsets[1]);
  if (begin > end || end > data.size()) {
    damaged(path, fmt::format("tensor '{}': data [{}, {}) lies outside the {} bytes of data", name, begin,
                              end, data.size()));
  }
  if (end - begin != bytes) {
    damaged(path, fmt::format("tensor '{}': {} bytes of data, but {} {} needs {}", name, end - begin,
                              tensor.dtype, describe_shape(tensor.shape), bytes));
  }
  tensor.data = data.subspan(begin, bytes);
  return tensor;
}

// Every byte of the data belongs to exactly one tensor.
void check_cover(const std::string& path, const Tensors& tensors, std::span<const std::byte> data) {
  std::vector<std::pair<std::span<const std::byte>, std::string_view>> parts;
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.data.empty()) parts.emplace_back(tensor.data, name);
  }
  std::sort(parts.begin(), parts.end(),
            [](const auto& a, const auto& b) { return a.first.data() < b.first.data(); });
  const std::byte* expected = data.data();
  std::string_view before = "the header";
  for (const auto& [part, name] : parts) {
    if (part.data() < expected) damaged(path, fmt::format("tensors '{}' and '{}' overlap", before, name));
    if (part.data() > expected) {
      damaged(path, fmt::format("{} bytes between '{}' and '{}' belong to no tensor", part.data() - expected,
                                before, name));
    }
    expected = part.data() + part.size();
    before = name;
  }
  if (expected != data.data() + data.size()) {
    damaged(path, fmt::format("{} bytes after '{}' belong to no tensor", data.data() + data.size() - expected,
                              before));
  }
}

float from_half(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1f;
  const std::uint32_t fraction = half & 0x3ff;
  if (exponent == 0) {  // zero or subnormal: fraction * 2^-24
    const float magnitude = static_cast<float>(fraction) * 0x1.0p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

}  // namespace

std::size_t Tensor::elements() const {
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  return count;
}

std::string describe_shape(std::span<const std::size_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

Tensors parse_safetensors(const std::string& path, std::span<const std::byte> bytes) {
  const std::size_t length = read_length(path, bytes);
  const auto* const text = reinterpret_cast<const char*>(bytes.data() + kLengthBytes);
  Json header;
  try {
    header = Json::parse(text, text + length);
  } catch (const Json::exception& error) {
    damaged(path, fmt::format("the header is no JSON: {}", error.what()));
  }
  if (!header.is_object()) damaged(path, "the header is no JSON object");
  const std::span<const std::byte> data = bytes.subspan(kLengthBytes + length);
  Tensors tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name != "__metadata__") tensors.emplace(name, read_entry(path, name, entry, data));
  }
  check_cover(path, tensors, data);
  return tensors;
}

SafetensorsFile::SafetensorsFile(const std::string& path)
    : file_(path), tensors_(parse_safetensors(path, file_.bytes())) {}

const Tensor* SafetensorsFile::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

bool is_float_type(std::string_view dtype) {
  return dtype == "F32" || dtype == "F16" || dtype == "BF16";
}

void to_float(const Tensor& tensor, std::size_t first, std::span<float> out) {
  if (tensor.dtype == "F32") {
    std::memcpy(out.data(), tensor.data.data() + first * sizeof(float), out.size_bytes());
    return;
  }
  const std::byte* from = tensor.data.data() + first * sizeof(std::uint16_t);
  const bool half = tensor.dtype == "F16";
  for (float& value : out) {
    std::uint16_t bits;
    std::memcpy(&bits, from, sizeof bits);
    from += sizeof bits;
    value = half ? from_half(bits) : std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
}

}  // namespace markeval::encoder
