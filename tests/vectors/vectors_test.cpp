#include "vectors/vectors.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "support/temp_folder.hpp"

namespace markeval::vectors {
namespace {

TEST(RowStore, HoldsWhatWasAppendedInMemoryAndInAFile) {
  const TempFolder folder;
  for (const std::string& place : {std::string(), folder.path()}) {
    RowStore<float> store(3, place);
    EXPECT_EQ(store.rows(), 0u);
    std::vector<float> all;
    for (std::size_t rows = 0; rows < 2000; rows += 7) {
      std::vector<float> block(rows * 3);
      std::iota(block.begin(), block.end(), static_cast<float>(all.size()));
      store.append(block);
      all.insert(all.end(), block.begin(), block.end());
    }
    const RowStore<float> moved = std::move(store);
    ASSERT_EQ(moved.rows() * 3, all.size());
    const MatrixView<const float> view = moved.view();
    EXPECT_TRUE(std::equal(all.begin(), all.end(), view.data()));
  }
}

TEST(RowStore, LeavesNoFileBehind) {
  const TempFolder folder;
  RowStore<double> store(1, folder.path());
  store.append(std::vector<double>(100000, 1));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "the file has no name";
}

TEST(RowStore, SaysWhereAFileCannotBeMade) {
  EXPECT_ERROR(RowStore<float>(1, "/no/such/folder").append(std::vector<float>(1)), ErrorCode::io,
               "/no/such/folder");
}

}  // namespace
}  // namespace markeval::vectors
