// Runs a target over the files of folders, without a fuzzer: what was found once stays mended.
//   fuzz_npy FOLDER...
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "fuzz/fuzz.hpp"

int main(int count, char** words) {
  std::size_t runs = 0;
  for (int index = 1; index < count; ++index) {
    for (const auto& entry : std::filesystem::directory_iterator(words[index])) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string content((std::istreambuf_iterator<char>(file)), {});
      std::printf("%s\n", entry.path().filename().c_str());
      std::fflush(stdout);
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
      ++runs;
    }
  }
  std::printf("%zu inputs\n", runs);
  return runs > 0 ? 0 : 1;
}
