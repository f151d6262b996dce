#include "trained/tensor_file.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/mapped_file.hpp"
#include "base/output_file.hpp"
#include "embed/digest.hpp"

namespace markeval::trained {
namespace {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little);
constexpr std::size_t kLengthBytes = 8;
constexpr const char* kChecksum = "sha256";

[[noreturn]] void damaged(const std::string& path, const std::string& what) {
  throw_invalid(fmt::format("{}: damaged: {}", path, what));
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TensorFile::Tensor read_tensor(const std::string& path, const std::string& name, const Json& entry,
                               std::span<const std::byte> data) {
  TensorFile::Tensor tensor;
  if (!entry.is_object() || entry.value("dtype", "") != "F32" || !entry.contains("shape") ||
      !entry.contains("data_offsets")) {
    damaged(path, fmt::format("tensor '{}' is no float32 tensor", name));
  }
  std::size_t bytes = sizeof(float), begin = 0, end = 0;
  try {
    tensor.shape = entry["shape"].get<std::vector<std::size_t>>();
    begin = entry["data_offsets"].at(0).get<std::size_t>();
    end = entry["data_offsets"].at(1).get<std::size_t>();
  } catch (const Json::exception&) {
    damaged(path, fmt::format("tensor '{}' has no shape or no place", name));
  }
  for (const std::size_t extent : tensor.shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      damaged(path, fmt::format("tensor '{}' is too large", name));
  }
  if (begin > end || end > data.size() || end - begin != bytes) {
    damaged(path, fmt::format("tensor '{}' lies in [{}, {}) of {} bytes and should have {}", name, begin, end,
                              data.size(), bytes));
  }
  tensor.values.resize(bytes / sizeof(float));
  if (bytes > 0) std::memcpy(tensor.values.data(), data.data() + begin, bytes);
  return tensor;
}

}  // namespace

void write_tensor_file(const std::string& path, std::span<const NamedTensor> tensors,
                       const std::map<std::string, std::string>& texts) {
  embed::Digest digest(embed::Digest::Kind::sha256);
  Json header = Json::object();
  header["__metadata__"] = Json::object();
  for (const auto& [name, text] : texts) header["__metadata__"][name] = text;
  std::size_t offset = 0;
  for (const NamedTensor& tensor : tensors) {
    const auto bytes = std::as_bytes(tensor.values);
    digest.add(as_text(bytes));
    header[tensor.name] = {
        {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {offset, offset + bytes.size()}}};
    offset += bytes.size();
  }
  header["__metadata__"][kChecksum] = digest.hex();
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();
  OutputFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(std::as_bytes(std::span(text)));
  for (const NamedTensor& tensor : tensors) file.write(std::as_bytes(tensor.values));
  file.commit();
}

TensorFile read_tensor_file(const std::string& path) {
  const MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  std::uint64_t length = 0;
  if (bytes.size() < kLengthBytes) damaged(path, fmt::format("{} bytes are no tensors", bytes.size()));
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > bytes.size() - kLengthBytes) {
    damaged(path,
            fmt::format("its header claims {} bytes, {} are left", length, bytes.size() - kLengthBytes));
  }
  const Json header = Json::parse(as_text(bytes.subspan(kLengthBytes, length)), nullptr, false);
  if (!header.is_object()) damaged(path, "its header is no JSON object");
  const std::span<const std::byte> data = bytes.subspan(kLengthBytes + length);
  TensorFile result;
  for (const auto& [name, entry] : header.items()) {
    if (name != "__metadata__") {
      result.tensors.emplace(name, read_tensor(path, name, entry, data));
      continue;
    }
    for (const auto& [key, text] : entry.items()) {
      if (text.is_string()) result.texts.emplace(key, text.get<std::string>());
    }
  }
  const auto checksum = result.texts.find(kChecksum);
  if (checksum == result.texts.end()) damaged(path, "it has no checksum: was it written by markeval?");
  if (embed::sha256_of(as_text(data)) != checksum->second) damaged(path, "its checksum is wrong");
  return result;
}

}  // namespace markeval::trained
