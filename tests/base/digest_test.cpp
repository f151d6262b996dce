#include "base/digest.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/temp_folder.hpp"

namespace markeval {
namespace {

TEST(Digest, AgreesWithTheStandardsExamples) {  // FIPS 180-4
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Digest, ReadsFiles) {
  const TempFolder folder;
  EXPECT_EQ(sha256_of_file(folder.write("a", "abc")), sha256_of("abc"));
  EXPECT_EQ(sha256_of_file(folder.write("b", "")), sha256_of(""));
  EXPECT_ERROR(sha256_of_file(folder.file("none")), ErrorCode::io, "none");
}

TEST(Digest, NamesFilesAsGitDoes) {  // `git hash-object`, git 2.39
  const TempFolder folder;
  EXPECT_EQ(git_blob_id_of_file(folder.write("a", "hello\n")), "ce013625030ba8dba906f756967f9e9ca394464a");
  EXPECT_EQ(git_blob_id_of_file(folder.write("b", "")), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
}

}  // namespace
}  // namespace markeval
