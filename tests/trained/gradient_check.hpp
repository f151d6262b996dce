// Gradients against central differences in double: relative 1e-5 (and 1e-9 where a gradient is about
// nothing).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"

namespace markeval::trained {

/// `loss()` depends on `values`; `gradient` is what backward() says about it.
template <typename Loss>
void expect_gradient(std::span<double> values, std::span<const double> gradient, const std::string& what,
                     const Loss& loss) {
  ASSERT_EQ(values.size(), gradient.size());
  double largest = 0;
  for (const double value : gradient) largest = std::max(largest, std::abs(value));
  EXPECT_GT(largest, 0) << what << ": no gradient at all";
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double kept = values[i], step = 1e-6;
    values[i] = kept + step;
    const double above = loss();
    values[i] = kept - step;
    const double below = loss();
    values[i] = kept;
    const double expected = (above - below) / (2 * step);
    EXPECT_NEAR(gradient[i], expected, 1e-5 * std::max(std::abs(expected), 1e-2 * largest))
        << what << ", element " << i;
  }
}

inline std::vector<double> random_values(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed, 0);
  std::vector<double> values(count);
  for (double& value : values) value = 2 * random.uniform() - 1;
  return values;
}

inline double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace markeval::trained
