// Weights of this folder's models on the disk: the safetensors format with float32 tensors, a checksum of the
// data and a few texts beside it. Written whole or not at all; nothing read is believed before it is checked.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace markeval::trained {

struct NamedTensor {
  std::string name;
  std::vector<std::size_t> shape;
  std::span<const float> values;
};

/// `texts` go into the header's metadata. Throws Error(io).
void write_tensor_file(const std::string& path, std::span<const NamedTensor> tensors,
                       const std::map<std::string, std::string>& texts);

struct TensorFile {
  struct Tensor {
    std::vector<std::size_t> shape;
    std::vector<float> values;
  };
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> texts;
};

/// Throws Error(io) where there is no such file, Error(invalid_input) where it is damaged or not of this
/// kind.
TensorFile read_tensor_file(const std::string& path);

}  // namespace markeval::trained
