#include "geometry/small_products.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"

namespace markeval::geometry {
namespace {

std::vector<float> random_values(std::uint64_t seed, std::size_t count) {
  RandomStream random(seed, 0);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

TEST(SquaredDistances, AreExactOnWholeNumbersForAllSmallShapes) {
  RandomStream random(3, 0);
  for (const std::size_t width : {1u, 7u, 16u, 33u, 100u}) {
    std::vector<float> a(5 * width);
    std::vector<float> b(7 * width);
    for (std::vector<float>* values : {&a, &b}) {
      for (float& value : *values) value = static_cast<float>(random.below(19)) - 9;
    }
    std::vector<float> out(35);
    squared_distances({a.data(), 5, width}, {b.data(), 7, width}, {out.data(), 5, 7});
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < 7; ++j) {
        float sum = 0;
        for (std::size_t k = 0; k < width; ++k)
          sum += (a[i * width + k] - b[j * width + k]) * (a[i * width + k] - b[j * width + k]);
        EXPECT_EQ(out[i * 7 + j], sum) << width;
      }
    }
  }
}

TEST(SquaredDistances, OfAPairDependOnNoOtherRow) {
  const std::size_t width = 100;
  const std::vector<float> a = random_values(1, 3 * width);
  const std::vector<float> b = random_values(2, 6 * width);
  std::vector<float> all(18);
  squared_distances({a.data(), 3, width}, {b.data(), 6, width}, {all.data(), 3, 6});
  for (std::size_t j = 0; j < 6; ++j) {
    float alone = 0;
    squared_distances({a.data() + width, 1, width}, {b.data() + j * width, 1, width}, {&alone, 1, 1});
    EXPECT_EQ(alone, all[6 + j]);
    squared_distances({b.data() + j * width, 1, width}, {a.data() + width, 1, width}, {&alone, 1, 1});
    EXPECT_EQ(alone, all[6 + j]);
  }
}

TEST(Cosines, OfEqualRowsAreExactlyOneAndNoneIsBeyond) {
  for (const std::size_t width : {1u, 7u, 48u, 384u, 1000u}) {
    std::vector<float> rows = random_values(width, 20 * width);
    normalize_rows({rows.data(), 20, width});
    std::vector<float> opposite = rows;
    for (float& value : opposite) value = -value;
    std::vector<float> out(400);
    cosines({rows.data(), 20, width}, {rows.data(), 20, width}, {out.data(), 20, 20});
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(out[i * 21], 1.0f) << width;
    for (const float value : out) EXPECT_LE(value, 1.0f);
    cosines({rows.data(), 20, width}, {opposite.data(), 20, width}, {out.data(), 20, 20});
    for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(out[i * 21], -1.0f, 1e-6f) << width;
    for (const float value : out) EXPECT_GE(value, -1.0f);
  }
}

TEST(Cosines, AreInnerProductsOfUnitRows) {
  const std::size_t width = 384;
  std::vector<float> a = random_values(1, 3 * width), b = random_values(2, 5 * width);
  normalize_rows({a.data(), 3, width});
  normalize_rows({b.data(), 5, width});
  std::vector<float> out(15);
  cosines({a.data(), 3, width}, {b.data(), 5, width}, {out.data(), 3, 5});
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      double product = 0;
      for (std::size_t k = 0; k < width; ++k)
        product += static_cast<double>(a[i * width + k]) * static_cast<double>(b[j * width + k]);
      EXPECT_NEAR(out[i * 5 + j], product, 3e-7);
    }
  }
}

TEST(Cosines, OfARowOfZerosAreZero) {
  const std::vector<float> a{0, 0, 1, 0}, b{0, 1, 0, 0, 1, 0};
  std::vector<float> out(6);
  cosines({a.data(), 2, 2}, {b.data(), 3, 2}, {out.data(), 2, 3});
  EXPECT_EQ(out, (std::vector<float>{0, 0, 0, 0, 0, 1}));
}

TEST(SequentialInnerProducts, RoundAfterEveryColumn) {
  const std::size_t width = 100;
  for (const std::size_t columns : {1u, 4u, 6u}) {
    const std::vector<float> a = random_values(1, 3 * width);
    const std::vector<float> b = random_values(2, columns * width);
    std::vector<float> out(3 * columns);
    sequential_inner_products({a.data(), 3, width}, {b.data(), columns, width}, {out.data(), 3, columns});
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        float sum = 0;
        for (std::size_t k = 0; k < width; ++k) sum = std::fma(a[i * width + k], b[j * width + k], sum);
        EXPECT_EQ(out[i * columns + j], sum);
      }
    }
  }
}

TEST(NormalizeRows, GivesUnitLengthAndLeavesZerosAlone) {
  std::vector<float> values = {3, 4, 0, 0, 6, 8};
  normalize_rows({values.data(), 3, 2});
  EXPECT_EQ(values, (std::vector<float>{0.6f, 0.8f, 0, 0, 0.6f, 0.8f}));
}

TEST(NormalizeRows, AddsEpsilonToTheLength) {
  std::vector<float> values = {3, 4};
  normalize_rows({values.data(), 1, 2}, 5);
  EXPECT_FLOAT_EQ(values[0], 0.3f);
}

}  // namespace
}  // namespace markeval::geometry
