// A model of two layers that knows single letters, for tests that encode texts.
#pragma once

#include <filesystem>
#include <string>

#include "support/temp_folder.hpp"

namespace markeval {

/// Puts it into `folder` under "tiny" and returns where it is.
inline std::string write_tiny_model(const TempFolder& folder) {
  namespace fs = std::filesystem;
  fs::create_directories(folder.file("tiny"));
  for (const char* file : {"config.json", "model.safetensors"}) {
    fs::copy(std::string(MARKEVAL_TEST_MODELS) + "/bert/" + file, folder.file("tiny/") + file);
  }
  std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n.\n";
  for (char letter = 'a'; letter <= 'z'; ++letter)
    vocabulary += std::string(1, letter) + "\n##" + letter + "\n";
  folder.write("tiny/vocab.txt", vocabulary);
  return folder.file("tiny");
}

}  // namespace markeval
