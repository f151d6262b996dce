#include "metric/prd_curve.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace markeval::metric {
namespace {

TEST(PrdCurve, EqualHistogramsReachTheCorner) {
  const std::vector<double> histogram{0.25, 0.75};
  const PrdCurve curve = prd_curve(histogram, histogram, prd_slopes(1001));
  EXPECT_EQ(curve.precision.size(), 1001u);
  EXPECT_NEAR(best_f_beta(curve, 8), 1, 1e-9);
  EXPECT_NEAR(best_f_beta(curve, 1.0 / 8), 1, 1e-9);
}

TEST(PrdCurve, DisjointHistogramsScoreNothing) {
  const PrdCurve curve = prd_curve(std::vector<double>{1, 0}, std::vector<double>{0, 1}, prd_slopes(1001));
  EXPECT_EQ(best_f_beta(curve, 8), 0);
}

TEST(PrdCurve, DroppedModesCostRecallNotPrecision) {
  // The system knows one of two equally large modes: F_8 sees it, F_1/8 hardly does.
  const PrdCurve curve =
      prd_curve(std::vector<double>{0.5, 0.5}, std::vector<double>{1, 0}, prd_slopes(1001));
  EXPECT_NEAR(best_f_beta(curve, 8), 0.5039, 1e-3);
  EXPECT_NEAR(best_f_beta(curve, 1.0 / 8), 0.9848, 1e-3);
}

}  // namespace
}  // namespace markeval::metric
