// The engine of every device against plain loops in double. tests/geometry/set_comparison_test.cpp looks for
// hard clouds; this suite is what a new engine has to pass first.
#include "geometry/set_engine.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "contract/devices.hpp"
#include "support/brute_force.hpp"
#include "support/sets.hpp"

namespace markeval::geometry {
namespace {

using testing::PointSet;

/// Clouds with copies of rows, so that ties decide.
template <typename T>
PointSet<T> cloud(std::uint64_t seed, std::size_t rows, std::size_t columns) {
  PointSet<T> set = testing::random_points<T>(seed, rows, columns);
  for (std::size_t row = 7; row < rows; row += 11)
    std::copy_n(set.values.data() + (row - 5) * columns, columns, set.values.data() + row * columns);
  return set;
}

class Engine : public compute::EveryDevice {
 protected:
  template <typename T>
  void equals_brute_force(std::size_t reference_rows, std::size_t evaluated_rows, std::size_t columns) {
    const PointSet<T> reference = cloud<T>(1, reference_rows, columns);
    const PointSet<T> evaluated = cloud<T>(2, evaluated_rows, columns);
    const std::vector<BallRequest> requests{{1, Ball::closed}, {3, Ball::closed}, {3, Ball::open}};
    const SetComparison expected =
        testing::brute_force_comparison(reference.points(), evaluated.points(), requests);
    for (const Method method : {Method::automatic, Method::direct, Method::product, Method::cascade}) {
      const RunContext context{pool_};
      const auto engine = make_set_engine(*device_, method);
      const SetId r = engine->add(reference.points(), "reference"),
                  e = engine->add(evaluated.points(), "evaluated");
      PairWork work("comparing", 1, context);
      const NeighbourLists lists[] = {engine->neighbours(r, engine->all_rows(r), 3, work),
                                      engine->neighbours(e, engine->all_rows(e), 3, work)};
      expect_equal(lists[0], expected.reference);
      expect_equal(lists[1], expected.evaluated);
      expect_equal(in_parts(*engine, r, 3, work), expected.reference);
      // Ranges of the reference, put together.
      std::vector<CrossCounts> counts;
      for (const BallRequest& request : requests)
        counts.push_back(no_counts(request, reference_rows, evaluated_rows));
      for (const RowRange range : parts_of(reference_rows)) {
        const auto part = engine->counts({r, lists[0]}, {e, lists[1]}, requests, range, work);
        for (std::size_t i = 0; i < counts.size(); ++i) counts[i].add(part[i]);
      }
      const auto whole = engine->counts({r, lists[0]}, {e, lists[1]}, requests, engine->all_rows(r), work);
      for (std::size_t i = 0; i < counts.size(); ++i) {
        EXPECT_EQ(whole[i].reference_balls.hits, counts[i].reference_balls.hits);
        EXPECT_EQ(whole[i].evaluated_balls.covered, counts[i].evaluated_balls.covered);
      }
      ASSERT_EQ(counts.size(), requests.size());
      for (std::size_t i = 0; i < counts.size(); ++i) {
        EXPECT_EQ(counts[i].request, requests[i]);
        EXPECT_EQ(counts[i].reference_balls.hits, expected.counts[i].reference_balls.hits);
        EXPECT_EQ(counts[i].reference_balls.covered, expected.counts[i].reference_balls.covered);
        EXPECT_EQ(counts[i].evaluated_balls.hits, expected.counts[i].evaluated_balls.hits);
        EXPECT_EQ(counts[i].evaluated_balls.covered, expected.counts[i].evaluated_balls.covered);
      }
      EXPECT_LE(work.statistics.pairs_refined, work.statistics.pairs);
      expect_nearest_balls(*engine, {r, reference.points()}, {e, evaluated.points()}, lists[1],
                           counts[0].evaluated_balls.covered);
    }
  }
  static std::vector<RowRange> parts_of(std::size_t rows) {
    return {{0, rows / 3}, {rows / 3, rows / 3 + 1}, {rows / 3 + 1, rows}};
  }
  static NeighbourLists in_parts(SetEngine& engine, SetId set, std::size_t k, PairWork& work) {
    NeighbourLists all{k, {}};
    for (const RowRange range : parts_of(engine.rows(set))) {
      const NeighbourLists part = engine.neighbours(set, range, k, work);
      all.neighbours.insert(all.neighbours.end(), part.neighbours.begin(), part.neighbours.end());
    }
    return all;
  }
  struct AddedSet {
    SetId id;
    Points points;
  };
  static void expect_equal(const NeighbourLists& found, const NeighbourLists& expected) {
    ASSERT_EQ(found.neighbours.size(), expected.neighbours.size());
    for (std::size_t i = 0; i < found.neighbours.size(); ++i) {
      EXPECT_EQ(found.neighbours[i].row, expected.neighbours[i].row) << i;
      EXPECT_EQ(found.neighbours[i].squared_distance, expected.neighbours[i].squared_distance) << i;
    }
  }
  /// Points of the reference outside the balls of the evaluated set, k = 1.
  void expect_nearest_balls(SetEngine& engine, const AddedSet& added, const AddedSet& added_centres,
                            const NeighbourLists& lists, const std::vector<std::uint8_t>& covered) {
    const Points &points = added.points, &centres = added_centres.points;
    std::vector<double> squared_radius;
    for (std::size_t row = 0; row < centres.rows(); ++row)
      squared_radius.push_back(lists.squared_radius(row, 1));
    const RunContext context{pool_};
    PairWork work("outside", 1, context);
    std::size_t next = 0;
    std::vector<OutsidePoint> found;
    for (const RowRange range : parts_of(points.rows())) {
      for (const OutsidePoint& point :
           engine.outside(added.id, covered, added_centres.id, squared_radius, range, work))
        found.push_back(point);
    }
    for (std::size_t row = 0; row < points.rows(); ++row) {
      if (covered[row] != 0) continue;
      ASSERT_LT(next, found.size());
      const OutsidePoint& point = found[next++];
      EXPECT_EQ(point.row, row);
      double least = std::numeric_limits<double>::infinity();
      std::size_t nearest = 0;
      for (std::size_t centre = 0; centre < centres.rows(); ++centre) {
        const double distance = std::sqrt(
            testing::squared_distance(testing::row_of(points, row), testing::row_of(centres, centre)));
        const double gap = distance - std::sqrt(squared_radius[centre]);
        if (gap < least) {
          least = gap;
          nearest = centre;
        }
      }
      EXPECT_EQ(point.nearest_centre, nearest);
      EXPECT_EQ(point.gap(), least);
    }
    EXPECT_EQ(next, found.size());
  }

  ThreadPool pool_{2};
  std::unique_ptr<compute::Device> device_ = GetParam().make(pool_);
};

TEST_P(Engine, EqualsBruteForceOnFloats) {
  equals_brute_force<float>(40, 9, 3);
  equals_brute_force<float>(310, 601, 24);
}

TEST_P(Engine, EqualsBruteForceOnDoubles) {
  equals_brute_force<double>(300, 290, 40);
}

INSTANTIATE_TEST_SUITE_P(Device, Engine, ::testing::ValuesIn(compute::tested_devices()),
                         compute::device_name);

}  // namespace
}  // namespace markeval::geometry
