// A file with tensors, whatever its format: names, types and shapes, and where in the file the numbers lie.
// Readers of a format (safetensors, torch_file, checkpoint) make the list; all numbers are read here.
// Tensors are read when asked for, piece by piece, not mapped: a file that is cut while it is read is an
// error, not a signal.
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
  std::string dtype;  ///< as safetensors spells it: "F32", "F16", "BF16", "I64"
  std::vector<std::size_t> shape;
  std::size_t begin = 0, bytes = 0;  ///< where it lies in the data of the file
  /// From one element to the next in each dimension, in elements. Empty: the last dimension runs fastest and
  /// nothing lies between. `bytes` reaches from the first to the last element.
  std::vector<std::size_t> strides = {};

  std::size_t elements() const;
  bool is_contiguous() const { return strides.empty(); }
};

/// "[30522, 384]"
std::string describe_shape(std::span<const std::size_t> shape);

/// Bytes of one element of this type; nothing for an unknown type.
std::optional<std::size_t> element_bytes(std::string_view dtype);
/// Can TensorFile::read() read this type?
bool is_float_type(std::string_view dtype);

using Tensors = std::map<std::string, Tensor, std::less<>>;

class TensorFile {
 public:
  /// `data_begin` is where the data of the file begin, from which `begin` of a tensor counts.
  TensorFile(const OpenFile& file, std::size_t data_begin, Tensors tensors);
  /// A file that is in memory, and stays there. `path` is for messages.
  TensorFile(std::string path, std::span<const std::byte> bytes, std::size_t data_begin, Tensors tensors);

  const std::string& path() const { return path_; }
  const Tensors& tensors() const { return tensors_; }
  const Tensor* find(std::string_view name) const;
  /// The elements [first, first + out.size()) of one of its tensors as float32; F16 and BF16 widen exactly.
  /// A tensor with strides is gone through from its beginning each time: read it at once. Throws Error(io)
  /// where the file cannot be read or has become shorter.
  void read(const Tensor& tensor, std::size_t first, std::span<float> out) const;

 protected:
  void read_at(std::size_t begin, std::span<std::byte> out) const;
  const std::optional<OpenFile>& file() const { return file_; }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  void read_run(const Tensor& tensor, std::size_t first, std::span<float> out) const;

  std::string path_;
  std::optional<OpenFile> file_;
  std::span<const std::byte> bytes_;  ///< where there is no file
  std::size_t data_begin_;
  Tensors tensors_;
};

}  // namespace markeval::encoder
