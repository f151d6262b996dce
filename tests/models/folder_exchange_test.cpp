#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "models/pull.hpp"
#include "support/temp_folder.hpp"

namespace markeval::models {
namespace {

namespace fs = std::filesystem;

class PutInPlace : public ::testing::TestWithParam<bool> {
 protected:
  void make(const std::string& name) {
    fs::create_directories(folder_.file(name));
    folder_.write(name + "/" + name, "");
  }
  void put() { put_in_place(folder_.file("new"), folder_.file("to"), folder_.file("aside"), GetParam()); }
  void expect_new_alone() {
    EXPECT_TRUE(fs::exists(folder_.file("to/new")));
    for (const char* gone : {"to/to", "new", "aside"}) EXPECT_FALSE(fs::exists(folder_.file(gone))) << gone;
  }

  TempFolder folder_;
};

TEST_P(PutInPlace, TakesAFreeName) {
  make("new");
  put();
  expect_new_alone();
}

TEST_P(PutInPlace, TakesTheNameOver) {
  make("new");
  make("to");
  make("aside");  // left by a run that was killed
  put();
  expect_new_alone();
}

TEST_P(PutInPlace, LeavesTheOldOneWhereThereIsNoNewOne) {
  make("to");
  EXPECT_THROW(put(), Error);
  EXPECT_TRUE(fs::exists(folder_.file("to/to")));
}

TEST_P(PutInPlace, TakesOverALinkAndNotWhatItLeadsTo) {
  make("new");
  make("linked");
  fs::create_symlink(folder_.file("linked"), folder_.file("to"));
  put();
  expect_new_alone();
  EXPECT_TRUE(fs::exists(folder_.file("linked/linked")));
}

INSTANTIATE_TEST_SUITE_P(Both, PutInPlace, ::testing::Bool(),
                         [](const auto& one) { return one.param ? "InOneStep" : "InTwoSteps"; });

TEST(SyncFolder, NamesWhatIsNotThere) {
  const TempFolder folder;
  sync_folder(folder.path());
  EXPECT_ERROR(sync_folder(folder.file("none")), ErrorCode::io, folder.file("none"));
}

}  // namespace
}  // namespace markeval::models
