// Small models for tests: where the committed ones are, and safetensors files written by hand.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "encoder/safetensors.hpp"

namespace markeval::encoder {

/// tests/encoder/models/NAME, made by make_models.py.
inline std::string model_folder(std::string_view name) {
  return std::string(MARKEVAL_TEST_MODELS) + "/" + std::string(name);
}

/// The length of the header, the header, the data.
inline std::string safetensors(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string result(8, '\0');
  for (int byte = 0; byte < 8; ++byte)
    result[static_cast<std::size_t>(byte)] = static_cast<char>(length >> (8 * byte) & 0xff);
  return result + header + data;
}

/// Changes one float32 number of a tensor in `file`.
inline void set_weight(const std::string& file, std::string_view tensor, std::size_t index, float value) {
  std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  const Tensors tensors = parse_safetensors(file, std::as_bytes(std::span(bytes))).tensors;
  const auto found = tensors.find(tensor);
  ASSERT_NE(found, tensors.end()) << tensor;
  ASSERT_EQ(found->second.dtype, "F32");
  const auto* begin = reinterpret_cast<const char*>(found->second.data.data());
  stream.clear();
  stream.seekp(begin - bytes.data() + static_cast<std::ptrdiff_t>(index * sizeof value));
  stream.write(reinterpret_cast<const char*>(&value), sizeof value);
  ASSERT_TRUE(stream.good());
}

}  // namespace markeval::encoder
