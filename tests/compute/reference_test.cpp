#include "compute/reference/reference.hpp"

#include <gtest/gtest.h>

namespace markeval::compute::reference {
namespace {

TEST(Reference, MultipliesByHandComputedExample) {
  const std::vector<float> in{1, 2, 3, 4}, weights{5, 6, -7, 8, 0, 1}, bias{0.5f, -20, 0},
      residual{1, 1, 1, 2, 2, 2};
  const MatrixView<const float> in_view(in.data(), 2, 2), weight_view(weights.data(), 3, 2),
      added(residual.data(), 2, 3);
  const ReferenceProduct plain = multiply(in_view, weight_view, 1, {}, Activation::none, {});
  EXPECT_EQ(plain.values, (std::vector<double>{17, 9, 2, 39, 11, 4}));
  EXPECT_EQ(plain.magnitudes, (std::vector<double>{17, 23, 2, 39, 53, 4}));
  const ReferenceProduct full = multiply(in_view, weight_view, 2, bias, Activation::relu, added);
  EXPECT_EQ(full.values, (std::vector<double>{35.5, 1, 5, 80.5, 4, 10}));
}

// Values of x Phi(x) from tables of the normal distribution function.
TEST(Reference, GeluKnowsTheNormalDistribution) {
  EXPECT_EQ(gelu(0), 0);
  EXPECT_NEAR(gelu(1), 0.8413447460685429, 1e-15);
  EXPECT_NEAR(gelu(-1), -0.15865525393145707, 1e-15);
  EXPECT_NEAR(gelu(2), 2 * 0.9772498680518208, 1e-15);
  EXPECT_NEAR(gelu(-10), 0, 1e-20);
}

TEST(Reference, CodedDistanceIsThatOfTheScaledPoints) {
  const std::vector<std::int8_t> a{2, -4}, b{1, 3};
  // Points (1, -2) and (3, 9): squared distance 4 + 121.
  EXPECT_EQ(coded_squared_distance(a, 0.5f, 5, b, 3, 90), 125);
}

}  // namespace
}  // namespace markeval::compute::reference
