#include "base/descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/temp_folder.hpp"

namespace markeval {
namespace {

bool is_open(int number) {
  return ::fcntl(number, F_GETFD) >= 0;
}

class DescriptorOf : public ::testing::Test {
 protected:
  Descriptor open(int flags) const { return Descriptor(::open(path_.c_str(), flags | O_CLOEXEC)); }

  TempFolder folder_;
  const std::string path_ = folder_.write("f", "");
};

TEST_F(DescriptorOf, AFileIsClosedOnce) {
  int number = -1;
  {
    Descriptor first = open(O_RDONLY);
    number = first.get();
    const Descriptor second = std::move(first);
    EXPECT_FALSE(first);
    EXPECT_EQ(second.get(), number);
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
  Descriptor file = open(O_RDONLY);
  number = file.get();
  file = Descriptor();
  EXPECT_FALSE(is_open(number));
}

TEST_F(DescriptorOf, AFileThatCannotBeWrittenIsNamed) {
  const std::byte one[1]{};
  write_all(open(O_WRONLY), one, path_);
  EXPECT_EQ(std::filesystem::file_size(path_), 1u);
  EXPECT_ERROR(write_all(open(O_RDONLY), one, path_), ErrorCode::io, path_ + ": cannot write: ");
}

TEST_F(DescriptorOf, ALockEndsWithItsFile) {
  Descriptor first = open(O_RDWR);
  const Descriptor second = open(O_RDWR);
  EXPECT_TRUE(try_lock_file(first, path_));
  EXPECT_FALSE(try_lock_file(second, path_));
  first = Descriptor();
  EXPECT_TRUE(try_lock_file(second, path_));
  EXPECT_ERROR(try_lock_file(Descriptor(), path_), ErrorCode::io, path_ + ": cannot lock: ");
}

}  // namespace
}  // namespace markeval
