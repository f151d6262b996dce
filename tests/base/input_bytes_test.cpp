#include "base/input_bytes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/error.hpp"
#include "support/environment.hpp"
#include "support/gzip.hpp"
#include "support/temp_folder.hpp"

namespace markeval {
namespace {

std::string read(const std::string& path) {
  InputBytes input(path);
  std::string all;
  std::array<char, 1000> part;
  while (const std::size_t count = input.read(part)) all.append(part.data(), count);
  EXPECT_EQ(input.read(part), 0u) << "the end stays the end";
  return all;
}

/// Larger than any buffer on its way.
std::string many_numbers() {
  std::string text;
  for (int number = 0; number < 200'000; ++number) text += std::to_string(number * 7919 % 1'000'003) + "\n";
  return text;
}

TEST(InputBytes, ReadsPlainFilesAndGzipTheSame) {
  const TempFolder folder;
  const std::string text = many_numbers();
  EXPECT_EQ(read(folder.write("plain", text)), text);
  for (const int level : {0, 1, 9}) EXPECT_EQ(read(folder.write("packed.gz", gzip(text, level))), text);
  EXPECT_EQ(read(folder.write("empty", "")), "");
  EXPECT_EQ(read(folder.write("one", "1")), "1");
  EXPECT_EQ(read(folder.write("half a start", "\x1f")), "\x1f");
  EXPECT_EQ(read(folder.write("empty.gz", gzip(""))), "");
}

TEST(InputBytes, ReadsAllMembers) {
  const TempFolder folder;
  EXPECT_EQ(read(folder.write("m.gz", gzip("one ") + gzip("") + gzip("two ") + gzip("three"))),
            "one two three");
  // A second member whose first bytes lie before, across and after the end of the reader's block.
  const std::string text = many_numbers();
  for (std::size_t size = (1 << 18) - 80; size < (1 << 18); ++size) {
    const std::string first = text.substr(0, size);
    EXPECT_EQ(read(folder.write("n.gz", gzip(first, 0) + gzip("end"))), first + "end") << size;
  }
}

TEST(InputBytes, UnpacksNoMoreThanItsLimit) {
  const TempFolder folder;
  const std::string path = folder.write("bomb.gz", gzip(std::string(100'000, 'a')));
  const EnvironmentVariable limit("MARKEVAL_MAX_UNPACKED", "64K");
  EXPECT_ERROR(read(path), ErrorCode::invalid_input,
               path + ": unpacked, more than 64 KiB (MARKEVAL_MAX_UNPACKED sets this limit)");
  EXPECT_EQ(read(folder.write("small.gz", gzip(std::string(65'536, 'a')))).size(), 65'536u);
}

TEST(InputBytes, TellsOfAFileThatChangesWhileItIsRead) {
  const TempFolder folder;
  for (const bool grows : {false, true}) {
    const std::string path = folder.write("lines.txt", std::string(1'000'000, 'a'));
    InputBytes input(path);
    std::vector<char> block(1000);
    input.read(block);
    if (grows) {
      std::ofstream(path, std::ios::app) << "more";
    } else {
      std::filesystem::resize_file(path, 500);
    }
    const auto rest = [&] {
      while (input.read(block) > 0) {
      }
    };
    EXPECT_ERROR(rest(), ErrorCode::io, path + ": was changed while it was in use; run again");
  }
}

TEST(InputBytes, ReadsAFileThatLosesItsNameMeanwhile) {
  const TempFolder folder;
  const std::string path = folder.write("lines.txt", std::string(1'000'000, 'a'));
  InputBytes input(path);
  std::vector<char> block(1'000'000);
  std::size_t all = input.read(block);
  std::filesystem::rename(folder.write("other.txt", "b"), path);  // as programs do that write files whole
  for (std::size_t got = input.read(block); got > 0; got = input.read(block)) all += got;
  EXPECT_EQ(all, 1'000'000u);
}

TEST(InputBytes, GzipCutOffAnywhereIsAnError) {
  const TempFolder folder;
  const std::string whole = gzip("tree 1 2 3\nleaf 4 5 6\n") + gzip("bark 7 8 9\n");
  const std::size_t first = gzip("tree 1 2 3\nleaf 4 5 6\n").size();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    if (length == first) continue;  // a file of one member, and whole
    EXPECT_ERROR(read(folder.write("cut.gz", whole.substr(0, length))), ErrorCode::invalid_input,
                 "cut.gz: gzip data end too early; the file is cut off");
  }
}

TEST(InputBytes, AWrongChecksumOrLengthIsAnError) {
  const TempFolder folder;
  const std::string whole = gzip("tree 1 2 3\n");
  for (std::size_t place = whole.size() - 8; place < whole.size(); ++place) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    EXPECT_ERROR(read(folder.write("bad.gz", damaged)), ErrorCode::invalid_input,
                 "bad.gz: damaged gzip data: ");
  }
}

TEST(InputBytes, WhatFollowsGzipMustBeGzip) {
  const TempFolder folder;
  for (const std::string& rest : {std::string("garbage"), std::string(1, '\0'), std::string("x")}) {
    EXPECT_ERROR(read(folder.write("more.gz", gzip("tree 1 2 3\n") + rest)), ErrorCode::invalid_input,
                 "more.gz: something else follows the gzip data");
  }
}

TEST(InputBytes, NamesWhatIsNotThereOrNotWhatItSays) {
  const TempFolder folder;
  EXPECT_ERROR(read(folder.file("none")), ErrorCode::io, "none: cannot open: No such file");
  EXPECT_ERROR(read(folder.path()), ErrorCode::io, "cannot read: Is a directory");
  EXPECT_ERROR(read(folder.write("plain.gz", "tree")), ErrorCode::invalid_input,
               "plain.gz: not gzip data, expected it from the name");
  EXPECT_ERROR(read(folder.write("one.gz", "t")), ErrorCode::invalid_input, "one.gz: not gzip data");
}

}  // namespace
}  // namespace markeval
