// Tensors on disk: files in the safetensors format, read and written here alone. Trained metrics write theirs
// with a checksum of the data.
//   8 bytes: length n of the header, little endian; n bytes: JSON {"name": {"dtype", "shape",
//   "data_offsets"}, "__metadata__": {"name": "text"}}; the data.
// Nothing in the header is believed before it is checked against the file. Tensors are read when asked for,
// piece by piece, not mapped: a file that is cut while it is read is an error, not a signal.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/open_file.hpp"

namespace markeval::encoder {

struct Tensor {
  std::string dtype;  ///< as the file spells it: "F32", "F16", "BF16", "I64"
  std::vector<std::size_t> shape;
  std::size_t begin = 0, bytes = 0;  ///< where it lies in the data of the file

  std::size_t elements() const;
};

/// "[30522, 384]"
std::string describe_shape(std::span<const std::size_t> shape);

using Tensors = std::map<std::string, Tensor, std::less<>>;
using Metadata = std::map<std::string, std::string, std::less<>>;

struct SafetensorsHeader {
  Tensors tensors;
  Metadata metadata;
  std::size_t data_begin = 0, data_bytes = 0;  ///< in the file
};

/// What stands at the start of a file of `file_bytes` bytes: the length and the header it tells of must be
/// within `start`. `path` is for messages. Throws Error(invalid_input).
SafetensorsHeader parse_safetensors(const std::string& path, std::span<const std::byte> start,
                                    std::size_t file_bytes);

class SafetensorsFile {
 public:
  /// Throws Error(io) where the file cannot be read and Error(invalid_input) where it is damaged.
  explicit SafetensorsFile(const std::string& path);
  explicit SafetensorsFile(const OpenFile& file);
  /// A file that is in memory, and stays there. `path` is for messages.
  SafetensorsFile(std::string path, std::span<const std::byte> bytes);

  const std::string& path() const { return path_; }
  const Tensors& tensors() const { return header_.tensors; }
  const Metadata& metadata() const { return header_.metadata; }
  const Tensor* find(std::string_view name) const;
  /// The elements [first, first + out.size()) of one of its tensors as float32; F16 and BF16 widen exactly.
  /// Throws Error(io) where the file cannot be read or has become shorter.
  void read(const Tensor& tensor, std::size_t first, std::span<float> out) const;
  /// Throws Error(invalid_input) unless the data are what write_safetensors() wrote.
  void require_checksum() const;

 private:
  void read_at(std::size_t begin, std::span<std::byte> out) const;

  std::string path_;
  std::optional<OpenFile> file_;
  std::span<const std::byte> bytes_;  ///< where there is no file
  SafetensorsHeader header_;
};

struct NamedTensor {
  std::string name;
  std::vector<std::size_t> shape;
  std::span<const float> values;
};

/// Writes float32 tensors, whole or not at all; the metadata gain a sha256 of the data. Throws Error(io).
void write_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                       const Metadata& metadata);

/// Can SafetensorsFile::read() read this type?
bool is_float_type(std::string_view dtype);

}  // namespace markeval::encoder
