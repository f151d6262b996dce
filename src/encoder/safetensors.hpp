// Tensors on disk: files in the safetensors format, read and written here alone. Trained metrics write theirs
// with a checksum of the data.
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

#include "base/open_file.hpp"
#include "encoder/tensor_file.hpp"

namespace markeval::encoder {

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

class SafetensorsFile : public TensorFile {
 public:
  /// Throws Error(io) where the file cannot be read and Error(invalid_input) where it is damaged.
  explicit SafetensorsFile(const std::string& path);
  explicit SafetensorsFile(const OpenFile& file);
  /// A file that is in memory, and stays there. `path` is for messages.
  SafetensorsFile(const std::string& path, std::span<const std::byte> bytes);

  const Metadata& metadata() const { return metadata_; }
  /// Throws Error(invalid_input) unless the data are what write_safetensors() wrote.
  void require_checksum() const;

 private:
  SafetensorsFile(const OpenFile& file, SafetensorsHeader header);
  SafetensorsFile(const std::string& path, std::span<const std::byte> bytes, SafetensorsHeader header);

  Metadata metadata_;
  std::size_t data_begin_, data_bytes_;
};

struct NamedTensor {
  std::string name;
  std::vector<std::size_t> shape;
  std::span<const float> values;
};

/// Writes float32 tensors, whole or not at all; the metadata gain a sha256 of the data. Throws Error(io).
void write_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                       const Metadata& metadata);

}  // namespace markeval::encoder
