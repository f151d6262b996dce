#include "geometry/set_comparison.hpp"

#include <gtest/gtest.h>

#include "geometry/clouds.hpp"
#include "geometry/equal_results.hpp"
#include "geometry/oracle.hpp"
#include "support/compared_sets.hpp"
#include "support/sanitized.hpp"

namespace markeval::geometry {
namespace {

using clouds::Kind;
using testing::compare_points;

struct Cloud {
  std::size_t rows, columns;
  std::vector<double> doubles;
  std::vector<float> floats;

  Cloud(Kind kind, std::size_t n, std::size_t width, std::uint64_t seed)
      : rows(n), columns(width), doubles(clouds::make(kind, n, width, seed)) {
    // Offsets with differences of 1e-3 need float64; everything else is tried as float32.
    if (kind != Kind::offset && seed % 3 != 0) floats.assign(doubles.begin(), doubles.end());
  }
  Points points() const {
    if (!floats.empty()) return MatrixView<const float>(floats.data(), rows, columns);
    return MatrixView<const double>(doubles.data(), rows, columns);
  }
  oracle::Rows oracle_rows() const {
    oracle::Rows result(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      result[row].assign(doubles.begin() + static_cast<std::ptrdiff_t>(row * columns),
                         doubles.begin() + static_cast<std::ptrdiff_t>((row + 1) * columns));
    }
    return result;
  }
};

struct Case {
  Kind kind;
  std::size_t reference_rows, evaluated_rows, columns, k;
  std::uint64_t seed;
};

Case random_case(Kind kind, std::uint64_t seed) {
  RandomStream random(seed, 1000 + static_cast<std::uint64_t>(kind));
  const std::size_t widths[] = {1, 2, 3, 7, 8, 9, 16, 31, 64, 100, 128, 129, 200, 384, 768, 1024};
  Case c{kind, 0, 0, widths[random.below(16)], 0, seed};
  // Wide clouds are kept small: the oracle is slow.
  const std::size_t most = c.columns >= 384 ? 70 : c.columns >= 64 ? 200 : 330;
  c.reference_rows = 2 + random.below(most);
  c.evaluated_rows = 2 + random.below(most);
  const std::size_t most_k = std::min<std::size_t>(50, std::min(c.reference_rows, c.evaluated_rows) - 1);
  c.k = 1 + (random.uniform() < 0.5 ? random.below(std::min<std::size_t>(5, most_k)) : random.below(most_k));
  return c;
}

class SetComparisonOf : public ::testing::TestWithParam<Kind> {};

// 8 kinds x 45 clouds x 3 methods = 1,080 comparisons, each of all lists, counts and flags; a fifth of them
// under a sanitizer.
TEST_P(SetComparisonOf, EqualsTheOracleByEveryMethod) {
  ThreadPool pool(2);
  const auto device = compute::make_cpu_device(pool);
  const RunContext context{pool};
  for (std::uint64_t seed = 0; seed < (kSanitized ? 9u : 45u); ++seed) {
    const Case c = random_case(GetParam(), seed);
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ": " << c.reference_rows << " and "
                                      << c.evaluated_rows << " rows of " << c.columns << ", k " << c.k);
    const Cloud reference(c.kind, c.reference_rows, c.columns, 2 * seed);
    Cloud evaluated(c.kind, c.evaluated_rows, c.columns, 2 * seed + 1);
    const oracle::Rows r = reference.oracle_rows();
    const oracle::Rows e = evaluated.oracle_rows();
    const NeighbourLists r_lists = oracle::neighbours(r, c.k);
    const NeighbourLists e_lists = oracle::neighbours(e, c.k);
    const oracle::Rows r_to_e = oracle::distances(r, e);
    const oracle::Rows e_to_r = oracle::distances(e, r);
    const BallRequest requests[] = {{c.k, Ball::closed}, {1, Ball::open}, {(c.k + 1) / 2, Ball::closed}};
    for (const Method method : {Method::direct, Method::product, Method::cascade}) {
      SCOPED_TRACE(::testing::Message() << "method " << static_cast<int>(method));
      const SetComparison result =
          compare_points(reference.points(), evaluated.points(), requests, *device, context, method);
      expect_equal(result.reference, r_lists);
      expect_equal(result.evaluated, e_lists);
      ASSERT_EQ(result.counts.size(), 3u);
      for (std::size_t i = 0; i < 3; ++i) {
        expect_equal(result.counts[i].reference_balls, oracle::count(r_lists, r_to_e, requests[i]));
        expect_equal(result.counts[i].evaluated_balls, oracle::count(e_lists, e_to_r, requests[i]));
      }
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Clouds, SetComparisonOf,
                         ::testing::Values(Kind::normal, Kind::duplicates, Kind::grid, Kind::scales,
                                           Kind::offset, Kind::skewed, Kind::constant, Kind::overflowing),
                         [](const auto& kind) { return clouds::name(kind.param); });

TEST(SetComparison, IsTheSameForAnyNumberOfThreads) {
  const Cloud reference(Kind::normal, 1500, 48, 1);
  const Cloud evaluated(Kind::skewed, 1300, 48, 2);
  const BallRequest requests[] = {{1, Ball::closed}, {7, Ball::closed}};
  std::optional<SetComparison> first;
  for (const std::size_t threads : {1u, 2u, 5u}) {
    ThreadPool pool(threads);
    const auto device = compute::make_cpu_device(pool);
    const SetComparison result = compare_points(reference.points(), evaluated.points(), requests, *device,
                                                RunContext{pool}, Method::cascade);
    if (!first) {
      first = result;
      continue;
    }
    expect_equal(result.reference, first->reference);
    expect_equal(result.evaluated, first->evaluated);
    expect_equal(result.counts[1].reference_balls, first->counts[1].reference_balls);
    EXPECT_EQ(result.statistics.pairs_refined, first->statistics.pairs_refined);
  }
}

TEST(SetComparison, TheFilterLeavesFewPairsToMeasure) {
  ThreadPool pool(2);
  const auto device = compute::make_cpu_device(pool);
  const Cloud reference(Kind::normal, 3000, 256, 4);
  const Cloud evaluated(Kind::normal, 3000, 256, 5);
  const BallRequest requests[] = {{5, Ball::closed}};
  const auto result = compare_points(reference.points(), evaluated.points(), requests, *device,
                                     RunContext{pool}, Method::product);
  EXPECT_EQ(result.statistics.pairs, 3000u * 2999u + 3000u * 3000u);
  EXPECT_LT(result.statistics.pairs_refined, result.statistics.pairs / 50);
}

TEST(SetComparison, IsTheSameWhereOneEngineServesSeveralSets) {
  ThreadPool pool(2);
  const auto device = compute::make_cpu_device(pool);
  const RunContext context{pool};
  const Cloud reference(Kind::normal, 400, 24, 1);
  for (const Method method : {Method::direct, Method::product, Method::cascade}) {
    const auto engine = make_set_engine(*device, method);
    const SetId id = engine->add(reference.points(), "reference set");
    // The last lies elsewhere: the filter of the others does not suit it.
    for (const Kind kind : {Kind::skewed, Kind::normal, Kind::offset}) {
      const Cloud evaluated(kind, 300, 24, 5);
      const HeldSet other(*engine, engine->add(evaluated.points(), "evaluated set"));
      for (const std::size_t k : {3u, 5u}) {
        const BallRequest requests[] = {{k, Ball::closed}};
        const SetComparison alone =
            compare_points(reference.points(), evaluated.points(), requests, *device, context, method);
        const SetComparison again = compare_sets(*engine, id, other, requests, context);
        expect_equal(again.reference, alone.reference);
        expect_equal(again.evaluated, alone.evaluated);
        expect_equal(again.counts[0].reference_balls, alone.counts[0].reference_balls);
        expect_equal(again.counts[0].evaluated_balls, alone.counts[0].evaluated_balls);
        EXPECT_EQ(again.statistics.pairs, alone.statistics.pairs);
      }
    }
  }
}

/// Every third row, every second, the first half: in turn.
std::vector<std::uint32_t> some_rows(std::size_t all, std::size_t turn) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < all; ++row) {
    if (turn % 4 == 3 ? row < all / 2 : (row * 2654435761u >> 16) % (2 + turn % 2) == turn % 3 % 2)
      rows.push_back(row);
  }
  return rows;
}

Cloud copy_rows(const Cloud& cloud, const std::vector<std::uint32_t>& rows) {
  Cloud copy = cloud;
  copy.rows = rows.size();
  copy.doubles.clear();
  copy.floats.clear();
  for (const std::uint32_t row : rows) {
    for (std::size_t i = row * cloud.columns; i < (row + 1) * cloud.columns; ++i) {
      copy.doubles.push_back(cloud.doubles[i]);
      if (!cloud.floats.empty()) copy.floats.push_back(cloud.floats[i]);
    }
  }
  return copy;
}

// The first subsets are compared on their own, the later ones by what is known of the whole sets.
TEST(SetComparison, OfSubsetsIsThatOfTheirRows) {
  ThreadPool pool(2);
  const auto device = compute::make_cpu_device(pool);
  const RunContext context{pool};
  for (const Kind kind : {Kind::normal, Kind::duplicates, Kind::grid, Kind::scales, Kind::constant}) {
    for (const Method method : {Method::direct, Method::cascade}) {
      const Cloud reference(kind, 400, 20, 1), evaluated(kind, 350, 20, 2);
      const auto engine = make_set_engine(*device, method);
      const SetId r = engine->add(reference.points(), "r"), e = engine->add(evaluated.points(), "e");
      for (std::size_t turn = 0; turn < 12; ++turn) {
        SCOPED_TRACE(::testing::Message() << clouds::name(kind) << " turn " << turn);
        const std::size_t k = turn < 9 ? 1 + turn % 3 : 9;
        const BallRequest requests[] = {{k, Ball::closed}, {1, Ball::open}};
        const auto r_rows = some_rows(400, turn), e_rows = some_rows(350, turn + 1);
        const HeldSet r_part(*engine, engine->subset(r, r_rows)), e_part(*engine, engine->subset(e, e_rows));
        const SetComparison found = compare_sets(*engine, r_part, e_part, requests, context);
        const Cloud r_copy = copy_rows(reference, r_rows), e_copy = copy_rows(evaluated, e_rows);
        const SetComparison expected =
            compare_points(r_copy.points(), e_copy.points(), requests, *device, context, Method::direct);
        expect_equal(found.reference, expected.reference);
        expect_equal(found.evaluated, expected.evaluated);
        for (std::size_t i = 0; i < 2; ++i) {
          expect_equal(found.counts[i].reference_balls, expected.counts[i].reference_balls);
          expect_equal(found.counts[i].evaluated_balls, expected.counts[i].evaluated_balls);
        }
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

// Words come back: the nearest row of each is near, but not in a small sample of the rows.
TEST(SetComparison, LooksAtFewAxesWhereNeighboursAreNear) {
  ThreadPool pool(2);
  const std::vector<Isa> isas = supported_isas();
  // The product of amx is too fast for that with so few rows.
  const Isa isa = isas.back() == Isa::amx ? isas[isas.size() - 2] : isas.back();
  const auto device = compute::make_cpu_device(pool, isa);
  Cloud sets[] = {Cloud(Kind::normal, 9000, 256, 1), Cloud(Kind::normal, 9000, 256, 4)};
  for (Cloud& set : sets) {
    set.floats.resize(set.rows * set.columns);
    RandomStream random(7, 7);
    for (std::size_t i = 0; i < set.floats.size(); ++i) {
      const std::size_t column = i % set.columns, word = i / set.columns % 4567;
      const double width = 1 + 0.01 * random.uniform();
      set.floats[i] = static_cast<float>(set.doubles[word * set.columns + column] * width);
    }
  }
  const BallRequest requests[] = {{1, Ball::closed}};
  const SetComparison result =
      compare_points(sets[0].points(), sets[1].points(), requests, *device, RunContext{pool});
  EXPECT_TRUE(result.statistics.method.starts_with("int8 cascade")) << result.statistics.method;
}

TEST(OutsidePoints, RanksByTheGapToTheNearestBall) {
  ThreadPool pool(1);
  const auto device = compute::make_cpu_device(pool);
  const std::vector<double> centres{0, 10};
  const std::vector<double> squared_radius{4, 1};
  const std::vector<double> points{1, 5, 100, 8.5};
  const std::vector<std::uint8_t> covered{1, 0, 0, 0};
  const auto engine = make_set_engine(*device);
  const SetId of_centres = engine->add(MatrixView<const double>(centres.data(), 2, 1), "centres");
  const SetId of_points = engine->add(MatrixView<const double>(points.data(), 4, 1), "points");
  const auto result =
      outside_points(*engine, of_centres, squared_radius, of_points, covered, RunContext{pool});
  ASSERT_EQ(result.size(), 3u);
  EXPECT_EQ(result[0].row, 2u);
  EXPECT_EQ(result[0].nearest_centre, 1u);
  EXPECT_EQ(result[0].gap(), 89);
  EXPECT_EQ(result[1].row, 1u);
  EXPECT_EQ(result[1].nearest_centre, 0u);
  EXPECT_EQ(result[1].gap(), 3);
  EXPECT_EQ(result[2].row, 3u);
  EXPECT_EQ(result[2].gap(), 0.5);
}

TEST(OutsidePoints, IsTheSameByEveryMethod) {
  ThreadPool pool(2);
  const auto device = compute::make_cpu_device(pool);
  for (const Kind kind : {Kind::normal, Kind::duplicates, Kind::grid, Kind::scales, Kind::overflowing}) {
    const Cloud reference(kind, 600, 20, 1);
    const Cloud evaluated(kind, 700, 20, 2);
    const BallRequest requests[] = {{1, Ball::closed}};
    const auto comparison =
        compare_points(reference.points(), evaluated.points(), requests, *device, RunContext{pool});
    std::vector<double> radius;
    for (std::size_t row = 0; row < 600; ++row) radius.push_back(comparison.reference.squared_radius(row, 1));
    std::optional<std::vector<OutsidePoint>> first;
    for (const Method method : {Method::direct, Method::product, Method::cascade}) {
      const auto engine = make_set_engine(*device, method);
      const SetId r = engine->add(reference.points(), "r"), e = engine->add(evaluated.points(), "e");
      const auto result = outside_points(*engine, r, radius, e, comparison.counts[0].reference_balls.covered,
                                         RunContext{pool});
      if (!first) first = result;
      ASSERT_EQ(result.size(), first->size());
      EXPECT_EQ(result.size(), 700 - comparison.counts[0].reference_balls.total_covered());
      for (std::size_t i = 0; i < result.size(); ++i) {
        EXPECT_EQ(result[i].row, (*first)[i].row);
        EXPECT_EQ(result[i].nearest_centre, (*first)[i].nearest_centre);
        EXPECT_EQ(result[i].gap(), (*first)[i].gap());
      }
    }
  }
}

}  // namespace
}  // namespace markeval::geometry
