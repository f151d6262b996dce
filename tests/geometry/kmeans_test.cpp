#include "geometry/cpu/kmeans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/error.hpp"
#include "support/cpu.hpp"
#include "support/sets.hpp"
#include "support/temp_folder.hpp"

namespace markeval::geometry::cpu {
namespace {

using testing::Cpu;
using testing::PointSet;
using testing::random_points;

TEST(Clusterer, FindsSeparatedGroupsAcrossSets) {
  Cpu pool(2);
  PointSet<float> first{{0, 1, 100, 101}, 1}, second{{0.5f, 200, 201}, 1};
  const std::array<Points, 2> sets{first.points(), second.points()};
  const Clustering found =
      Clusterer(sets, pool.products(), {pool.pool}).run(3, RandomStream(1, 0), {pool.pool});
  ASSERT_EQ(found.cluster.size(), 7u);
  EXPECT_EQ(found.cluster[0], found.cluster[1]);
  EXPECT_EQ(found.cluster[0], found.cluster[4]);
  EXPECT_EQ(found.cluster[2], found.cluster[3]);
  EXPECT_EQ(found.cluster[5], found.cluster[6]);
  EXPECT_EQ(std::set<std::uint32_t>(found.cluster.begin(), found.cluster.end()).size(), 3u);
  EXPECT_NEAR(found.squared_error, 0.5 + 0.5 + 0.5, 1e-9);
}

TEST(Clusterer, SameForAnyNumberOfThreadsAndDifferentForSeeds) {
  Cpu one(1), three(3);
  for (const std::size_t rows : {700u, 5000u}) {
    const auto set = random_points<float>(4, rows, 6);
    const std::array<Points, 1> sets{set.points()};
    const Clustering a = Clusterer(sets, one.products(), {one.pool}).run(20, RandomStream(5, 0), {one.pool});
    const Clustering b =
        Clusterer(sets, three.products(), {three.pool}).run(20, RandomStream(5, 0), {three.pool});
    EXPECT_EQ(a.cluster, b.cluster);
    EXPECT_EQ(a.squared_error, b.squared_error);
    EXPECT_NE(a.cluster,
              Clusterer(sets, one.products(), {one.pool}).run(20, RandomStream(5, 1), {one.pool}).cluster);
  }
}

/// Few rows are clustered by their inner products, many by centres.
TEST(Clusterer, EndsWithEveryRowInTheClusterOfTheNearestMean) {
  Cpu pool(2);
  constexpr std::size_t kWidth = 12, kClusters = 7;
  for (const std::size_t rows : {300u, 2048u, 2049u, 5000u}) {
    const auto set = random_points<double>(9, rows, kWidth);
    const std::array<Points, 1> sets{set.points()};
    const Clustering found =
        Clusterer(sets, pool.products(), {pool.pool}).run(kClusters, RandomStream(2, 0), {pool.pool}, 1000);
    std::vector<double> mean(kClusters * kWidth, 0), size(kClusters, 0);
    for (std::size_t row = 0; row < rows; ++row) {
      size[found.cluster[row]] += 1;
      for (std::size_t i = 0; i < kWidth; ++i)
        mean[found.cluster[row] * kWidth + i] += set.values[row * kWidth + i];
    }
    double squared_error = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      std::vector<double> distance(kClusters, 0);
      for (std::size_t c = 0; c < kClusters; ++c) {
        for (std::size_t i = 0; i < kWidth; ++i) {
          const double gap = set.values[row * kWidth + i] - mean[c * kWidth + i] / size[c];
          distance[c] += gap * gap;
        }
      }
      const double mine = distance[found.cluster[row]];
      EXPECT_LE(mine, *std::min_element(distance.begin(), distance.end()) + 1e-12) << rows << ' ' << row;
      squared_error += mine;
    }
    EXPECT_NEAR(found.squared_error, squared_error, 1e-9 * squared_error) << rows;
  }
}

TEST(Clusterer, OffsetsFarFromZeroDoNoHarm) {
  Cpu pool(1);
  const auto near = random_points<double>(4, 500, 3), far = [&] {
    auto moved = near;
    for (double& value : moved.values) value += 1e6;
    return moved;
  }();
  const std::array<Points, 1> here{near.points()}, there{far.points()};
  EXPECT_EQ(Clusterer(here, pool.products(), {pool.pool}).run(8, RandomStream(1, 0), {pool.pool}).cluster,
            Clusterer(there, pool.products(), {pool.pool}).run(8, RandomStream(1, 0), {pool.pool}).cluster);
}

TEST(Clusterer, RepeatedRowsLeaveClustersEmpty) {
  Cpu pool(1);
  PointSet<float> set{{1, 1, 1, 1, 1}, 1};
  const std::array<Points, 1> sets{set.points()};
  const Clustering found =
      Clusterer(sets, pool.products(), {pool.pool}).run(3, RandomStream(1, 0), {pool.pool});
  EXPECT_EQ(found.squared_error, 0);
}

TEST(Clusterer, FewerRowsThanClustersIsAnError) {
  Cpu pool(1);
  PointSet<float> set{{1, 2}, 1};
  const std::array<Points, 1> sets{set.points()};
  EXPECT_ERROR(Clusterer(sets, pool.products(), {pool.pool}).run(3, RandomStream(1, 0), {pool.pool}),
               ErrorCode::invalid_input, "2 rows in all, too few for 3 clusters");
}

}  // namespace
}  // namespace markeval::geometry::cpu
