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
  const SafetensorsHeader header = parse_safetensors(file, std::as_bytes(std::span(bytes)), bytes.size());
  const auto found = header.tensors.find(tensor);
  ASSERT_NE(found, header.tensors.end()) << tensor;
  ASSERT_EQ(found->second.dtype, "F32");
  stream.clear();
  stream.seekp(static_cast<std::streamoff>(header.data_begin + found->second.begin + index * sizeof value));
  stream.write(reinterpret_cast<const char*>(&value), sizeof value);
  ASSERT_TRUE(stream.good());
}

}  // namespace markeval::encoder
