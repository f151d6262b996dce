#include "base/open_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/error.hpp"
#include "base/folder_files.hpp"
#include "support/temp_folder.hpp"

namespace markeval {
namespace {

namespace fs = std::filesystem;

class OpenFileOf : public ::testing::Test {
 protected:
  TempFolder folder_;
  const std::string path_ = folder_.write("f", "bytes");
  const OpenFile file_{path_};
};

TEST_F(OpenFileOf, AFileGivesItsBytes) {
  EXPECT_EQ(file_.read_all(5), "bytes");
  std::byte two[2];
  file_.read_at(3, two);
  EXPECT_EQ(static_cast<char>(two[1]), 's');
  EXPECT_ERROR(file_.read_all(4), ErrorCode::invalid_input, "f: 5 bytes, expected at most 4");
}

TEST_F(OpenFileOf, AnotherFileOfItsNameChangesNothing) {
  fs::rename(folder_.write("new", "other"), path_);
  EXPECT_EQ(file_.read_all(5), "bytes");
  EXPECT_FALSE(file_.is_current());
}

TEST_F(OpenFileOf, ARemovedFileChangesNothing) {
  fs::remove(path_);
  EXPECT_EQ(file_.read_all(5), "bytes");
  EXPECT_FALSE(file_.is_current());
}

TEST_F(OpenFileOf, AFileWrittenToIsNoticedThoughItsTimeIsSetBack) {
  const auto time = fs::last_write_time(path_);
  std::fstream(path_, std::ios::in | std::ios::out) << "BYTES";
  fs::last_write_time(path_, time);
  EXPECT_FALSE(file_.is_current());
  EXPECT_ERROR(file_.require_unchanged(), ErrorCode::io, "f: was changed while it was in use; run again");
}

TEST_F(OpenFileOf, AFileCutShortIsNoticed) {
  fs::resize_file(path_, 2);
  EXPECT_ERROR(file_.read_all(5), ErrorCode::io, "f: became shorter while it was read");
}

TEST_F(OpenFileOf, OtherThingsThanFilesAreRefused) {
  EXPECT_ERROR(OpenFile(folder_.file("none")), ErrorCode::io, "none");
  EXPECT_ERROR(OpenFile(folder_.path()), ErrorCode::io, folder_.path());
  ASSERT_EQ(mkfifo(folder_.file("pipe").c_str(), 0600), 0);
  // And does not wait for a writer.
  EXPECT_ERROR(OpenFile(folder_.file("pipe")), ErrorCode::io,
               "pipe: a pipe, a socket or a device, expected an ordinary file");
}

TEST(FolderFilesOf, AFolderKeepTheStateTheyWereReadIn) {
  const TempFolder folder;
  folder.write("a", "1");
  const std::string_view names[]{"a", "b"};
  const FolderFiles files(folder.path(), names);
  EXPECT_TRUE(files.is_current());
  EXPECT_EQ(files.get("a"), "1");
  EXPECT_EQ(files.find("b"), nullptr);
  EXPECT_ERROR(files.get("b"), ErrorCode::io, folder.file("b"));
  folder.write("c", "nobody asked for it");
  EXPECT_TRUE(files.is_current());
  folder.write("b", "2");
  EXPECT_FALSE(files.is_current());
  EXPECT_EQ(files.find("b"), nullptr);
  EXPECT_ERROR(FolderFiles(folder.file("a"), names), ErrorCode::io, "no such folder, expected a model");
}

}  // namespace
}  // namespace markeval
