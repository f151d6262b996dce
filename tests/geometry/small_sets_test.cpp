#include "geometry/small_sets.hpp"

#include <gtest/gtest.h>

#include "geometry/equal_results.hpp"
#include "support/compared_sets.hpp"
#include "support/sets.hpp"

namespace markeval::geometry {
namespace {

using testing::PointSet;
using testing::random_points;

MatrixView<const float> rows_of(const PointSet<float>& set) {
  return {set.values.data(), set.rows(), set.columns};
}

// Method::direct is the definition.
TEST(SmallSets, AreComparedAsLargeOnesAre) {
  ThreadPool pool(1);
  const auto device = compute::make_cpu_device(pool);
  SmallSetScratch scratch;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomStream random(seed, 0);
    const std::size_t columns = 1 + random.below(70);
    const double grid = seed % 2 == 0 ? 1.0 : 0.0;  // ties and duplicates
    const auto reference = random_points<float>(seed, 4 + random.below(60), columns, 0, grid);
    const auto evaluated = random_points<float>(seed + 100, 4 + random.below(60), columns, 0.2, grid);
    const std::vector<BallRequest> requests{
        {3, Ball::closed}, {1, Ball::closed}, {3, Ball::open}, {2, Ball::open}};
    const SetComparison expected = testing::compare_points(reference.points(), evaluated.points(), requests,
                                                           *device, {pool}, Method::direct);
    const NeighbourLists of_reference = small_set_neighbours(rows_of(reference), 3, scratch);
    const NeighbourLists of_evaluated = small_set_neighbours(rows_of(evaluated), 3, scratch);
    expect_equal(of_reference, expected.reference);
    expect_equal(of_evaluated, expected.evaluated);
    const auto counts =
        small_set_counts(rows_of(reference), of_reference, rows_of(evaluated), of_evaluated, requests);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      EXPECT_EQ(counts[i].request, requests[i]);
      expect_equal(counts[i].reference_balls, expected.counts[i].reference_balls);
      expect_equal(counts[i].evaluated_balls, expected.counts[i].evaluated_balls);
    }
  }
}

// prd and fid look at no neighbours: alone they ask for 0 of them.
TEST(SmallSets, HaveNoNeighboursWhereNoneAreAskedFor) {
  SmallSetScratch scratch;
  const auto set = random_points<float>(1, 9, 5);
  const NeighbourLists lists = small_set_neighbours(rows_of(set), 0, scratch);
  EXPECT_EQ(lists.k, 0u);
  EXPECT_TRUE(lists.neighbours.empty());
  EXPECT_TRUE(scratch.sorted.empty()) << "nothing is compared";
}

TEST(SmallSets, HaveAsManyNeighboursAsThereAreRows) {
  SmallSetScratch scratch;
  const PointSet<float> three{{0, 1, 5}, 1}, one{{7}, 1};
  const NeighbourLists lists = small_set_neighbours(rows_of(three), 10, scratch);
  EXPECT_EQ(lists.k, 2u);
  EXPECT_EQ(lists.squared_radius(2, 2), 25);
  EXPECT_EQ(small_set_neighbours(rows_of(one), 10, scratch).rows(), 0u);
  EXPECT_EQ(small_set_neighbours(MatrixView<const float>(), 10, scratch).rows(), 0u);
}

}  // namespace
}  // namespace markeval::geometry
