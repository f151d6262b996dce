// Tensors on disk: files in the safetensors format, read and written here alone. Encoders map theirs into
// memory; trained metrics write theirs with a checksum of the data.
//   8 bytes: length n of the header, little endian; n bytes: JSON {"name": {"dtype", "shape",
//   "data_offsets"}, "__metadata__": {"name": "text"}}; the data.
// Nothing in the header is believed before it is checked against the file.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.hpp"
#include "base/open_file.hpp"

namespace markeval::encoder {

struct Tensor {
  std::string dtype;  ///< as the file spells it: "F32", "F16", "BF16", "I64"
  std::vector<std::size_t> shape;
  std::span<const std::byte> data;

  std::size_t elements() const;
};

/// "[30522, 384]"
std::string describe_shape(std::span<const std::size_t> shape);

using Tensors = std::map<std::string, Tensor, std::less<>>;
using Metadata = std::map<std::string, std::string, std::less<>>;

struct Safetensors {
  Tensors tensors;
  Metadata metadata;
  std::span<const std::byte> data;  ///< of all of them
};

/// The tensors in `bytes`, whose data they refer to; `path` is for messages. Throws Error(invalid_input).
Safetensors parse_safetensors(const std::string& path, std::span<const std::byte> bytes);

class SafetensorsFile {
 public:
  /// Throws Error(io) where the file cannot be read and Error(invalid_input) where it is damaged.
  explicit SafetensorsFile(const std::string& path);
  explicit SafetensorsFile(const OpenFile& file);

  const std::string& path() const { return file_.path(); }
  const Tensors& tensors() const { return content_.tensors; }
  const Metadata& metadata() const { return content_.metadata; }
  const Tensor* find(std::string_view name) const;
  /// Throws Error(invalid_input) unless the data are what write_safetensors() wrote.
  void require_checksum() const;

 private:
  MappedFile file_;
  Safetensors content_;
};

struct NamedTensor {
  std::string name;
  std::vector<std::size_t> shape;
  std::span<const float> values;
};

/// Writes float32 tensors, whole or not at all; the metadata gain a sha256 of the data. Throws Error(io).
void write_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                       const Metadata& metadata);

/// Can `to_float` read this type?
bool is_float_type(std::string_view dtype);
/// The elements [first, first + out.size()) as float32. F16 and BF16 widen exactly.
void to_float(const Tensor& tensor, std::size_t first, std::span<float> out);

}  // namespace markeval::encoder
