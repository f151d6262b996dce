#include "base/mapped_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.hpp"

namespace markeval {
namespace {

TEST(MappedFile, ShowsTheBytesOfTheFile) {
  const std::string path = testing::TempDir() + "/mapped_file_test.txt";
  std::ofstream(path) << "abc";
  const MappedFile file(path);
  ASSERT_EQ(file.bytes().size(), 3u);
  EXPECT_EQ(file.bytes()[1], std::byte{'b'});
}

TEST(MappedFile, MapsAnEmptyFileToNothing) {
  const std::string path = testing::TempDir() + "/mapped_file_test_empty.txt";
  std::ofstream{path};
  EXPECT_TRUE(MappedFile(path).bytes().empty());
}

TEST(MappedFile, NamesTheMissingFileAndTheReason) {
  try {
    MappedFile("/no/such/file");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "/no/such/file: cannot open: No such file or directory");
    EXPECT_EQ(error.code(), ErrorCode::io);
  }
}

TEST(MappedFile, RefusesAFolder) {
  try {
    MappedFile("/");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("Is a directory"));
  }
}

}  // namespace
}  // namespace markeval
