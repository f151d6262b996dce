#include "geometry/cpu/gaussian.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/cpu.hpp"
#include "support/sets.hpp"
#include "support/temp_folder.hpp"

namespace markeval::geometry::cpu {
namespace {

using testing::Cpu;
using testing::PointSet;
using testing::random_points;

TEST(FitGaussian, MeanAndUnbiasedCovariance) {
  Cpu pool(2);
  PointSet<float> set{{1, 2, 3, 6, 5, 4}, 2};
  const Gaussian found = fit_gaussian(set.points(), pool.products(), {pool.pool});
  EXPECT_EQ(found.mean, (std::vector<double>{3, 4}));
  EXPECT_EQ(found.covariance, (std::vector<double>{4, 2, 2, 4}));
}

TEST(FitGaussian, SameBitsForAnyNumberOfThreads) {
  Cpu one(1), three(3);
  const auto set = random_points<float>(4, 3000, 150);
  EXPECT_EQ(fit_gaussian(set.points(), one.products(), {one.pool}).covariance,
            fit_gaussian(set.points(), three.products(), {three.pool}).covariance);
}

TEST(FitGaussian, PartsPutTogetherHaveTheBitsOfTheWhole) {
  Cpu pool(2);
  constexpr std::size_t kSpan = SpanSums::kSpanRows, kRows = 5 * kSpan + 77;
  const auto set = random_points<float>(4, kRows, 7);
  const Gaussian whole = fit_gaussian(set.points(), pool.products(), {pool.pool});
  for (const std::vector<std::size_t>& cuts : {std::vector<std::size_t>{0, 1, kRows},
                                               {0, 2, 3, kRows},
                                               {0, 3, 5, kRows},
                                               {0, 1, 2, 3, 4, 5, kRows}}) {
    SpanSums sums, squares;
    for (std::size_t part = 0; part + 1 < cuts.size(); ++part) {
      const RowRange range{cuts[part] * kSpan, std::min(kRows, cuts[part + 1] * kSpan)};
      sums.append(column_sums(set.points(), range, {pool.pool}));
      squares.append(centred_squares(set.points(), whole.mean, range, pool.products(), {pool.pool}));
    }
    std::vector<double> mean = sums.total(), covariance = squares.total();
    for (double& value : mean) value /= static_cast<double>(kRows);
    for (double& value : covariance) value /= static_cast<double>(kRows - 1);
    EXPECT_EQ(mean, whole.mean);
    EXPECT_EQ(covariance, whole.covariance);
  }
}

TEST(FitGaussian, OverflowIsAnErrorNotNan) {
  Cpu pool(1);
  PointSet<double> set{{1e200, -1e200, 1e200, 3e200}, 1}, larger{{1e308, 1e308, 1e308}, 1};
  EXPECT_ERROR(fit_gaussian(set.points(), pool.products(), {pool.pool}), ErrorCode::invalid_input,
               "overflow double");
  EXPECT_ERROR(fit_gaussian(larger.points(), pool.products(), {pool.pool}), ErrorCode::invalid_input,
               "overflows double");
}

TEST(FrechetDistance, OfOneDimensionalGaussiansHasAClosedForm) {
  Cpu pool(1);
  // (m1 - m2)^2 + (s1 - s2)^2
  EXPECT_NEAR(squared_frechet_distance({{1}, {4}}, {{4}, {9}}, pool.products(), {pool.pool}).total, 9 + 1,
              1e-12);
}

TEST(FrechetDistance, OfCommutingCovariancesHasAClosedForm) {
  Cpu pool(1);
  const Gaussian a{{0, 0}, {4, 0, 0, 1}}, b{{1, 2}, {1, 0, 0, 25}};
  EXPECT_NEAR(squared_frechet_distance(a, b, pool.products(), {pool.pool}).total, 5 + 1 + 16, 1e-12);
}

TEST(FrechetDistance, SingularCovariancesGiveNoNan) {
  Cpu pool(1);
  const auto set = random_points<float>(4, 5, 20), other = random_points<float>(5, 7, 20);
  const Gaussian a = fit_gaussian(set.points(), pool.products(), {pool.pool}),
                 b = fit_gaussian(other.points(), pool.products(), {pool.pool});
  EXPECT_GT(squared_frechet_distance(a, b, pool.products(), {pool.pool}).total, 0);
  EXPECT_NEAR(squared_frechet_distance(a, a, pool.products(), {pool.pool}).total, 0, 1e-6);
}

TEST(FrechetDistance, FromFewRowsIsTheSame) {
  Cpu pool(1);
  for (const std::size_t rows : {2u, 5u, 19u}) {
    const auto set = random_points<float>(4, rows, 40);
    const auto other = random_points<double>(5, 7, 40, 0.5);
    const FrechetDistance found = squared_frechet_distance(set.points(), other.points(), pool.products());
    const Gaussian a = fit_gaussian(set.points(), pool.products(), {pool.pool}),
                   b = fit_gaussian(other.points(), pool.products(), {pool.pool});
    EXPECT_NEAR(found.total, squared_frechet_distance(a, b, pool.products(), {pool.pool}).total, 1e-5);
    double between = 0;
    for (std::size_t i = 0; i < 40; ++i) between += (a.mean[i] - b.mean[i]) * (a.mean[i] - b.mean[i]);
    EXPECT_NEAR(found.between_means, between, 1e-12);
    EXPECT_NEAR(squared_frechet_distance(set.points(), set.points(), pool.products()).total, 0, 1e-12);
  }
}

TEST(FrechetDistance, OfSingleRowsIsThatOfTheirPlaces) {
  Cpu pool(1);
  PointSet<float> here{{0, 0}, 2}, there{{3, 4}, 2}, two{{2, 4, 4, 4}, 2};
  EXPECT_EQ(squared_frechet_distance(here.points(), there.points(), pool.products()).total, 25);
  EXPECT_EQ(squared_frechet_distance(here.points(), two.points(), pool.products()).total, 25 + 2)
      << "means and the variance";
  PointSet<double> huge{{1e200, -1e200}, 1}, small{{1, 2}, 1};
  EXPECT_ERROR(squared_frechet_distance(huge.points(), small.points(), pool.products()),
               ErrorCode::invalid_input, "overflow double");
}

}  // namespace
}  // namespace markeval::geometry::cpu
