#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "base/sum_of_squares.hpp"
#include "compute/device.hpp"
#include "contract/devices.hpp"

namespace markeval::compute {
namespace {

std::vector<float> random_values(std::uint64_t seed, std::size_t count) {
  RandomStream random(seed, 0);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

class MatchRows : public EveryDevice {
 protected:
  void relate(RowRelation relation, MatrixView<const float> first, MatrixView<const float> second,
              MatrixView<float> out) {
    const RowMatch match{first, second, out};
    device_->match_rows(relation, {&match, 1});
  }
  void squared_distances(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out) {
    relate(RowRelation::squared_distance, a, b, out);
  }
  void cosines(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out) {
    relate(RowRelation::cosine, a, b, out);
  }
  void normalize_rows(MatrixView<float> rows) {
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const double scale = 1 / std::sqrt(sum_of_squares(rows.row(row)));
      for (float& value : rows.row(row)) value = static_cast<float>(value * scale);
    }
  }

  ThreadPool pool_{2};
  std::unique_ptr<Device> device_ = GetParam().make(pool_);
};

TEST_P(MatchRows, SquaredDistancesAreExactOnWholeNumbersForAllSmallShapes) {
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

TEST_P(MatchRows, SquaredDistancesOfAPairDependOnNoOtherRow) {
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

TEST_P(MatchRows, CosinesOfEqualRowsAreExactlyOneAndNoneIsBeyond) {
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

TEST_P(MatchRows, CosinesAreInnerProductsOfUnitRows) {
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

TEST_P(MatchRows, CosinesOfARowOfZerosAreZero) {
  const std::vector<float> a{0, 0, 1, 0}, b{0, 1, 0, 0, 1, 0};
  std::vector<float> out(6);
  cosines({a.data(), 2, 2}, {b.data(), 3, 2}, {out.data(), 2, 3});
  EXPECT_EQ(out, (std::vector<float>{0, 0, 0, 0, 0, 1}));
}

TEST_P(MatchRows, InnerProductsRoundAfterEveryColumn) {
  const std::size_t width = 100;
  for (const std::size_t columns : {1u, 4u, 6u}) {
    const std::vector<float> a = random_values(1, 3 * width);
    const std::vector<float> b = random_values(2, columns * width);
    std::vector<float> out(3 * columns);
    relate(RowRelation::inner_product, {a.data(), 3, width}, {b.data(), columns, width},
           {out.data(), 3, columns});
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        float sum = 0;
        for (std::size_t k = 0; k < width; ++k) sum = std::fma(a[i * width + k], b[j * width + k], sum);
        EXPECT_EQ(out[i * columns + j], sum);
      }
    }
  }
}

// A call has many pairs of texts, of different shapes, and results with gaps between their rows.
TEST_P(MatchRows, TakesManyPairsAtOnce) {
  constexpr std::size_t kWidth = 50, kPairs = 40;
  const std::vector<float> values = random_values(9, 100 * kWidth);
  const MatrixView<const float> rows(values.data(), 100, kWidth);
  for (const RowRelation relation :
       {RowRelation::squared_distance, RowRelation::cosine, RowRelation::inner_product}) {
    std::vector<std::vector<float>> out;
    std::vector<RowMatch> matches;
    for (std::size_t pair = 0; pair < kPairs; ++pair) {
      const auto first = rows.rows_from(pair, 1 + pair % 7), second = rows.rows_from(60 - pair, 1 + pair % 5);
      out.emplace_back(first.rows() * (second.rows() + 2), -7.0f);
      matches.push_back({first, second, {out.back().data(), first.rows(), second.rows(), second.rows() + 2}});
    }
    device_->match_rows(relation, matches);
    for (const RowMatch& match : matches) {
      for (std::size_t i = 0; i < match.first.rows(); ++i) {
        for (std::size_t j = 0; j < match.second.rows(); ++j) {
          float alone = 0;
          relate(relation, match.first.rows_from(i, 1), match.second.rows_from(j, 1), {&alone, 1, 1});
          EXPECT_EQ(match.out(i, j), alone);
        }
      }
      EXPECT_EQ(match.out.row(0).data()[match.out.columns()], -7.0f) << "wrote beside the matrix";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Device, MatchRows, ::testing::ValuesIn(tested_devices()), device_name);

}  // namespace
}  // namespace markeval::compute
