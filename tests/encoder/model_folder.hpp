// Small models for tests: where the committed ones are, and safetensors files written by hand.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

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

}  // namespace markeval::encoder
