#include "geometry/cpu/candidate_lists.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace markeval::geometry::cpu {
namespace {

TEST(CandidateLists, KeepsTheNearestThroughManyMore) {
  constexpr std::size_t kRows = 2000;
  std::vector<double> line(kRows);
  for (std::size_t i = 0; i < kRows; ++i) line[i] = static_cast<double>((i * 7919) % kRows);
  const Points points{MatrixView<const double>(line.data(), kRows, 1)};
  CandidateLists lists(points, {0, points.rows()}, 4, 1.0);
  EXPECT_EQ(lists.reach()[0], std::numeric_limits<float>::infinity());
  for (std::uint32_t other = 1; other < kRows; ++other) {
    const auto distance = static_cast<float>(std::fabs(line[other] - line[0]));
    lists.add(0, other, distance - 3, distance + 3);
  }
  EXPECT_LE(lists.reach()[0], 12);  // 4 + 3 once tightened; a few candidates may still wait
  std::vector<Neighbour> nearest(4);
  lists.finish(0, nearest);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(nearest[i].squared_distance, static_cast<double>((i + 1) * (i + 1)));
}

TEST(CandidateLists, LookingAroundLowersTheReachToTheKthNearestBeside) {
  const std::vector<double> line = {0, 8, 3, 5, 100, 1};
  const Points points{MatrixView<const double>(line.data(), line.size(), 1)};
  CandidateLists lists(points, {0, points.rows()}, 2, 0.5);
  lists.look_around(2, 2);  // sees 0, 8, 5 and 100, at distances 3, 5, 2 and 97
  EXPECT_NEAR(lists.reach()[2], 1.5, 1e-5);
  EXPECT_GE(lists.reach()[2], 1.5f);
  EXPECT_EQ(lists.reach()[0], std::numeric_limits<float>::infinity());
  lists.look_around(0, 1);  // one row is too few for two neighbours
  EXPECT_EQ(lists.reach()[0], std::numeric_limits<float>::infinity());
}

TEST(CandidateLists, MeasuresNoMoreThanNeededAmongDuplicates) {
  constexpr std::size_t kRows = 5000;
  const std::vector<double> same(kRows, 1.0);
  const Points points{MatrixView<const double>(same.data(), kRows, 1)};
  CandidateLists lists(points, {0, points.rows()}, 3, 1.0);
  for (std::uint32_t other = 1; other < kRows; ++other) lists.add(0, other, 0, 0.5f);
  std::vector<Neighbour> nearest(3);
  lists.finish(0, nearest);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(nearest[i].row, i + 1);
  EXPECT_LT(lists.refined(), 200u);
}

}  // namespace
}  // namespace markeval::geometry::cpu
