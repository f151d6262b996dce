#include "base/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "support/temp_folder.hpp"

namespace markeval {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(OutputFile, AppearsWithItsContents) {
  const TempFolder folder;
  write_whole_file(folder.file("a.txt"), "all of it");
  EXPECT_EQ(contents(folder.file("a.txt")), "all of it");
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(OutputFile, WithoutCommitLeavesTheOlderFileAndNothingElse) {
  const TempFolder folder;
  const std::string path = folder.write("a.txt", "older");
  {
    OutputFile file(path);
    file.write(std::as_bytes(std::span("half", 4)));
  }
  EXPECT_EQ(contents(path), "older");
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(OutputFile, KeepsPermissionsAndFollowsLinks) {
  const TempFolder folder;
  const std::string path = folder.write("real.txt", "older");
  std::filesystem::permissions(path, std::filesystem::perms(0640));
  std::filesystem::create_symlink(path, folder.file("link.txt"));
  write_whole_file(folder.file("link.txt"), "newer");
  EXPECT_EQ(contents(path), "newer");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link.txt")));
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0640));
}

TEST(OutputFile, IsMadeWhereALinkLeadsThatLedNowhere) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.file("b"));
  std::filesystem::create_symlink("b/new.txt", folder.file("link.txt"));
  write_whole_file(folder.file("link.txt"), "all of it");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link.txt")));
  EXPECT_EQ(contents(folder.file("b/new.txt")), "all of it");
  std::filesystem::create_symlink("loop", folder.file("loop"));
  EXPECT_ERROR(write_whole_file(folder.file("loop"), "x"), ErrorCode::io, "loop: cannot write");
}

TEST(OutputFile, LeavesNothingWhereTheProcessIsKilled) {
  const TempFolder folder;
  const Descriptor unnamed(::open(folder.path().c_str(), O_WRONLY | O_TMPFILE, 0600));
  if (!unnamed) GTEST_SKIP() << "no files without a name in " << folder.path();
  const pid_t child = ::fork();
  if (child == 0) {
    OutputFile file(folder.file("a.txt"));
    file.write(std::as_bytes(std::span("half", 4)));
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(files_in(folder.path()), 0u);
}

TEST(OutputFile, FullDiskIsAnErrorWithTheReason) {
  EXPECT_ERROR(write_whole_file("/dev/full", "x"), ErrorCode::io,
               "/dev/full: cannot write: No space left on device");
}

TEST(OutputFile, MissingFolderIsAnError) {
  EXPECT_ERROR(write_whole_file("/no/such/folder/a", "x"), ErrorCode::io, "/no/such/folder/a: cannot write");
}

TEST(OutputFile, FolderIsNoFile) {
  const TempFolder folder;
  EXPECT_ERROR(write_whole_file(folder.path(), "x"), ErrorCode::io, "Is a directory");
}

TEST(OutputFile, TheWaitForAReaderOfAPipeCanBeStopped) {
  const TempFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  const std::atomic<bool> stop{true};
  const CancelScope scope(&stop);
  EXPECT_ERROR(OutputFile(folder.file("pipe")), ErrorCode::cancelled, "stopped on request");
}

}  // namespace
}  // namespace markeval
