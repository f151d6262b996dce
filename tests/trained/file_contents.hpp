// All bytes of a file.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace markeval::trained {

inline std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace markeval::trained
