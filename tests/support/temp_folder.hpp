// A folder that is gone when the test ends.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace markeval {

class TempFolder {
 public:
  TempFolder() {
    static std::atomic<int> counter{0};
    path_ = std::filesystem::temp_directory_path() /
            ("markeval_test_" + std::to_string(getpid()) + "_" + std::to_string(counter++));
    std::filesystem::create_directories(path_);
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string path() const { return path_.string(); }
  std::string file(std::string_view name) const { return (path_ / name).string(); }
  std::string write(std::string_view name, std::string_view content) const {
    std::ofstream(file(name), std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

/// Expects `statement` to throw a markeval::Error of that code whose message contains `part`.
#define EXPECT_ERROR(statement, expected_code, part)                                                 \
  try {                                                                                              \
    statement;                                                                                       \
    ADD_FAILURE() << "expected an error with: " << (part);                                           \
  } catch (const markeval::Error& error) {                                                           \
    EXPECT_EQ(error.code(), expected_code) << error.what();                                          \
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << "found: " << error.what(); \
  }

}  // namespace markeval
