#include "geometry/cpu/principal_axes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "geometry/clouds.hpp"
#include "geometry/cpu/coding.hpp"

namespace markeval::geometry::cpu {
namespace {

TEST(NeighboursTogether, NamesEveryRowOnce) {
  for (const std::size_t rows : {1u, 2u, 24u, 25u, 287u, 288u, 289u, 600u, 5 * 288u + 7u}) {
    const std::vector<double> cloud = clouds::make(clouds::Kind::normal, rows, 4, rows);
    const std::vector<float> points(cloud.begin(), cloud.end());
    std::vector<std::uint32_t> order = neighbours_together({points.data(), rows, 4}, kBlockRows);
    std::sort(order.begin(), order.end());
    ASSERT_EQ(order.size(), rows);
    for (std::size_t i = 0; i < rows; ++i) EXPECT_EQ(order[i], i);
  }
}

// Four blocks of equal rows, interleaved in the file: each comes to stand in a block of its own.
TEST(NeighboursTogether, PutsNearRowsIntoOneBlock) {
  constexpr std::size_t kRows = 4 * kBlockRows;
  std::vector<float> points;
  for (std::size_t row = 0; row < kRows; ++row) {
    points.push_back(row % 2 == 0 ? 0.0f : 9.0f);
    points.push_back(row / 2 % 2 == 0 ? 0.0f : 5.0f);
  }
  const std::vector<std::uint32_t> order = neighbours_together({points.data(), kRows, 2}, kBlockRows);
  for (std::size_t place = 0; place < kRows; ++place) {
    EXPECT_EQ(order[place] % 4, order[place / kBlockRows * kBlockRows] % 4) << place;
  }
}

TEST(NeighboursTogether, PutsBlocksThatDifferInTheLowestBitNearEachOther) {
  constexpr std::size_t kBlocks = 5;
  std::vector<float> points;
  for (std::size_t row = 0; row < kBlocks * kBlockRows; ++row) {
    points.push_back(static_cast<float>(row * 7919 % (kBlocks * kBlockRows)));
  }
  const std::vector<std::uint32_t> order = neighbours_together({points.data(), points.size(), 1}, kBlockRows);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto block = static_cast<std::size_t>(points[order[place]]) / kBlockRows;
    EXPECT_EQ(block, place / kBlockRows) << place;
  }
}

}  // namespace
}  // namespace markeval::geometry::cpu
