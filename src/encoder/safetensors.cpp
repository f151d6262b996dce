// Parsing and checking of the header, and writing with a SHA-256 of the data.
#include "encoder/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_reader.hpp"
#include "base/json_text.hpp"
#include "base/limits.hpp"
#include "base/output_file.hpp"
#include "base/quotation.hpp"

namespace markeval::encoder {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kKeysPerTensor = 4;   // its name, dtype, shape and data_offsets
constexpr std::size_t kMostNotes = 10'000;  // keys of the metadata
constexpr const char* kMetadata = "__metadata__";
constexpr const char* kChecksum = "sha256";

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

[[noreturn]] void damaged(const std::string& path, const std::string& what) {
  throw_invalid(path + ": damaged: " + what);
}

std::size_t read_length(const std::string& path, std::span<const std::byte> bytes, std::size_t file_bytes) {
  if (bytes.size() < kLengthBytes) {
    damaged(path, fmt::format("{} bytes, expected at least {} for the header's length", bytes.size(),
                              kLengthBytes));
  }
  std::uint64_t length = 0;
  for (std::size_t index = kLengthBytes; index-- > 0;) {
    length = length << 8 | std::to_integer<std::uint64_t>(bytes[index]);
  }
  const std::size_t rest = file_bytes - kLengthBytes;
  if (length > rest) {
    damaged(path, fmt::format("the header claims {} bytes, the file has {} left", length, rest));
  }
  if (length > limit_of(Limit::header_bytes))
    throw_beyond(Limit::header_bytes, fmt::format("{}: damaged: the header claims {} bytes", path, length));
  return static_cast<std::size_t>(length);
}

std::size_t read_size(const std::string& path, const std::string& name, const char* what, const Json& value) {
  if (!value.is_number_unsigned()) {
    damaged(path, fmt::format("tensor {}: {} holds {}, expected a whole number >= 0", in_quotes(name), what,
                              brief(value)));
  }
  return value.get<std::size_t>();
}

Tensor read_entry(const std::string& path, const std::string& name, const Json& entry,
                  std::size_t data_bytes) {
  if (!entry.is_object()) damaged(path, fmt::format("tensor {}: expected an object", in_quotes(name)));
  for (const char* key : {"dtype", "shape", "data_offsets"}) {
    if (!entry.contains(key)) damaged(path, fmt::format("tensor {} has no '{}'", in_quotes(name), key));
  }
  const Json& dtype = entry["dtype"];
  const Json& shape = entry["shape"];
  const Json& offsets = entry["data_offsets"];
  if (!dtype.is_string()) damaged(path, fmt::format("tensor {}: dtype is no string", in_quotes(name)));
  if (!shape.is_array()) damaged(path, fmt::format("tensor {}: shape is no list", in_quotes(name)));
  if (!offsets.is_array() || offsets.size() != 2) {
    damaged(path, fmt::format("tensor {}: data_offsets is no list of two", in_quotes(name)));
  }
  Tensor tensor;
  tensor.dtype = dtype.get<std::string>();
  const std::optional<std::size_t> width = element_bytes(tensor.dtype);
  if (!width)
    damaged(path, fmt::format("tensor {}: unknown dtype {}", in_quotes(name), in_quotes(tensor.dtype)));
  std::size_t bytes = *width;
  for (const Json& extent : shape) {
    tensor.shape.push_back(read_size(path, name, "shape", extent));
    if (__builtin_mul_overflow(bytes, tensor.shape.back(), &bytes)) {
      damaged(path,
              fmt::format("tensor {}: shape {} is too large", in_quotes(name), describe_shape(tensor.shape)));
    }
  }
  const std::size_t begin = read_size(path, name, "data_offsets", offsets[0]);
  const std::size_t end = read_size(path, name, "data_offsets", offsets[1]);
  if (begin > end || end > data_bytes) {
    damaged(path, fmt::format("tensor {}: data [{}, {}) lies outside the {} bytes of data", in_quotes(name),
                              begin, end, data_bytes));
  }
  if (end - begin != bytes) {
    damaged(path, fmt::format("tensor {}: {} bytes of data, but {} {} needs {}", in_quotes(name), end - begin,
                              tensor.dtype, describe_shape(tensor.shape), bytes));
  }
  tensor.begin = begin;
  tensor.bytes = bytes;
  return tensor;
}

// Every byte of the data belongs to exactly one tensor.
void check_cover(const std::string& path, const SafetensorsHeader& header) {
  std::vector<std::pair<const Tensor*, std::string_view>> parts;
  for (const auto& [name, tensor] : header.tensors) {
    if (tensor.bytes > 0) parts.emplace_back(&tensor, name);
  }
  std::sort(parts.begin(), parts.end(),
            [](const auto& a, const auto& b) { return a.first->begin < b.first->begin; });
  std::size_t expected = 0;
  std::string_view before = "the header";
  for (const auto& [tensor, name] : parts) {
    if (tensor->begin < expected)
      damaged(path, fmt::format("tensors {} and {} overlap", in_quotes(before), in_quotes(name)));
    if (tensor->begin > expected) {
      damaged(path, fmt::format("{} bytes between {} and {} belong to no tensor", tensor->begin - expected,
                                in_quotes(before), in_quotes(name)));
    }
    expected = tensor->begin + tensor->bytes;
    before = name;
  }
  if (expected != header.data_bytes) {
    damaged(path, fmt::format("{} bytes after {} belong to no tensor", header.data_bytes - expected,
                              in_quotes(before)));
  }
}

// The length and, where the file may be right, the header.
std::vector<std::byte> read_start(const OpenFile& file) {
  std::vector<std::byte> start(std::min(file.size(), kLengthBytes));
  file.read_at(0, start);
  if (start.size() < kLengthBytes) return start;
  const std::size_t length = read_length(file.path(), start, file.size());
  start.resize(kLengthBytes + length);
  file.read_at(kLengthBytes, std::span(start).subspan(kLengthBytes));
  return start;
}

}  // namespace

SafetensorsHeader parse_safetensors(const std::string& path, std::span<const std::byte> start,
                                    std::size_t file_bytes) {
  const std::size_t length = read_length(path, start, file_bytes);
  // Beyond that it is refused before it is built; how many tensors there are is known afterwards.
  const std::size_t most_tensors = limit_of(Limit::tensors),
                    most_keys = kKeysPerTensor * most_tensors + kMostNotes;
  const Json header =
      parse_json_object(as_text(start.subspan(kLengthBytes, length)), path + ": damaged: the header",
                        {.bytes = limit_of(Limit::header_bytes), .keys = most_keys});
  SafetensorsHeader result;
  result.data_begin = kLengthBytes + length;
  result.data_bytes = file_bytes - result.data_begin;
  for (const auto& [name, entry] : header.items()) {
    if (name != kMetadata) {
      result.tensors.emplace(name, read_entry(path, name, entry, result.data_bytes));
      continue;
    }
    if (!entry.is_object()) damaged(path, "'__metadata__' is no object");
    for (const auto& [key, text] : entry.items()) {
      if (text.is_string()) result.metadata.emplace(key, text.get<std::string>());
    }
  }
  if (result.tensors.size() > most_tensors)
    throw_beyond(Limit::tensors, fmt::format("{}: {} tensors", path, result.tensors.size()));
  check_cover(path, result);
  return result;
}

SafetensorsFile::SafetensorsFile(const std::string& path) : SafetensorsFile(OpenFile(path)) {}
SafetensorsFile::SafetensorsFile(const OpenFile& file)
    : SafetensorsFile(file, parse_safetensors(file.path(), read_start(file), file.size())) {}
SafetensorsFile::SafetensorsFile(const std::string& path, std::span<const std::byte> bytes)
    : SafetensorsFile(path, bytes, parse_safetensors(path, bytes, bytes.size())) {}
SafetensorsFile::SafetensorsFile(const OpenFile& file, SafetensorsHeader header)
    : TensorFile(file, header.data_begin, std::move(header.tensors)),
      metadata_(std::move(header.metadata)),
      data_begin_(header.data_begin),
      data_bytes_(header.data_bytes) {}
SafetensorsFile::SafetensorsFile(const std::string& path, std::span<const std::byte> bytes,
                                 SafetensorsHeader header)
    : TensorFile(path, bytes, header.data_begin, std::move(header.tensors)),
      metadata_(std::move(header.metadata)),
      data_begin_(header.data_begin),
      data_bytes_(header.data_bytes) {}

void SafetensorsFile::require_checksum() const {
  const auto found = metadata().find(kChecksum);
  if (found == metadata().end()) damaged(path(), "it has no checksum: was it written by markeval?");
  Digest digest(Digest::HashKind::sha256);
  if (file()) {
    digest.add(*file(), data_begin_, data_bytes_);
  } else {
    digest.add(as_text(bytes().subspan(data_begin_, data_bytes_)));
  }
  if (digest.hex() != found->second) damaged(path(), "its checksum is wrong");
}

void write_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                       const Metadata& metadata) {
  static_assert(std::endian::native == std::endian::little);
  Digest digest(Digest::HashKind::sha256);
  nlohmann::ordered_json header{{kMetadata, metadata}};
  std::size_t offset = 0;
  for (const NamedTensor& tensor : tensors) {
    const auto bytes = std::as_bytes(tensor.values);
    digest.add(as_text(bytes));
    header[tensor.name] = {
        {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {offset, offset + bytes.size()}}};
    offset += bytes.size();
  }
  header[kMetadata][kChecksum] = digest.hex();
  std::string text = json_text(header);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();
  OutputFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(std::as_bytes(std::span(text)));
  for (const NamedTensor& tensor : tensors) file.write(std::as_bytes(tensor.values));
  file.commit();
}

}  // namespace markeval::encoder
