#include "geometry/kmeans.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "base/error.hpp"
#include "support/sets.hpp"
#include "support/temp_folder.hpp"

namespace markeval::geometry {
namespace {

using testing::PointSet;
using testing::random_points;

TEST(ClusterPoints, FindsSeparatedGroupsAcrossSets) {
  ThreadPool pool(2);
  PointSet<float> first{{0, 1, 100, 101}, 1}, second{{0.5f, 200, 201}, 1};
  const std::array<Points, 2> sets{first.points(), second.points()};
  const Clustering found = cluster_points(sets, 3, RandomStream(1, 0), {pool});
  ASSERT_EQ(found.cluster.size(), 7u);
  EXPECT_EQ(found.cluster[0], found.cluster[1]);
  EXPECT_EQ(found.cluster[0], found.cluster[4]);
  EXPECT_EQ(found.cluster[2], found.cluster[3]);
  EXPECT_EQ(found.cluster[5], found.cluster[6]);
  EXPECT_EQ(std::set<std::uint32_t>(found.cluster.begin(), found.cluster.end()).size(), 3u);
  EXPECT_NEAR(found.squared_error, 0.5 + 0.5 + 0.5, 1e-9);
}

TEST(ClusterPoints, SameForAnyNumberOfThreadsAndDifferentForSeeds) {
  ThreadPool one(1), three(3);
  const auto set = random_points<float>(4, 5000, 6);
  const std::array<Points, 1> sets{set.points()};
  const Clustering a = cluster_points(sets, 20, RandomStream(5, 0), {one});
  const Clustering b = cluster_points(sets, 20, RandomStream(5, 0), {three});
  EXPECT_EQ(a.cluster, b.cluster);
  EXPECT_EQ(a.squared_error, b.squared_error);
  EXPECT_NE(a.cluster, cluster_points(sets, 20, RandomStream(5, 1), {one}).cluster);
}

TEST(ClusterPoints, OffsetsFarFromZeroDoNoHarm) {
  ThreadPool pool(1);
  const auto near = random_points<double>(4, 500, 3), far = [&] {
    auto moved = near;
    for (double& value : moved.values) value += 1e6;
    return moved;
  }();
  const std::array<Points, 1> here{near.points()}, there{far.points()};
  EXPECT_EQ(cluster_points(here, 8, RandomStream(1, 0), {pool}).cluster,
            cluster_points(there, 8, RandomStream(1, 0), {pool}).cluster);
}

TEST(ClusterPoints, RepeatedRowsLeaveClustersEmpty) {
  ThreadPool pool(1);
  PointSet<float> set{{1, 1, 1, 1, 1}, 1};
  const std::array<Points, 1> sets{set.points()};
  const Clustering found = cluster_points(sets, 3, RandomStream(1, 0), {pool});
  EXPECT_EQ(found.squared_error, 0);
}

TEST(ClusterPoints, FewerRowsThanClustersIsAnError) {
  ThreadPool pool(1);
  PointSet<float> set{{1, 2}, 1};
  const std::array<Points, 1> sets{set.points()};
  EXPECT_ERROR(cluster_points(sets, 3, RandomStream(1, 0), {pool}), ErrorCode::invalid_input,
               "2 rows in all, too few for 3 clusters");
}

}  // namespace
}  // namespace markeval::geometry
