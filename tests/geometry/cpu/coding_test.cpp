#include "geometry/cpu/coding.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "geometry/clouds.hpp"

namespace markeval::geometry::cpu {
namespace {

// The bounds everything rests on: coded distances are off by no more than the slacks, their squares by no
// more than lengths and slacks allow.
TEST(Coding, DistancesAreOffByNoMoreThanTheBounds) {
  ThreadPool pool(1);
  const auto device = compute::make_cpu_device(pool);
  for (const std::size_t columns : {1u, 3u, 64u, 100u, 384u, 769u}) {
    for (const auto kind : {clouds::Kind::normal, clouds::Kind::skewed, clouds::Kind::grid}) {
      constexpr std::size_t kRows = 60;
      const std::vector<double> cloud = clouds::make(kind, kRows, columns, columns);
      CodeBuilder builder(kRows, columns);
      std::vector<float> rows(cloud.begin(), cloud.end());
      for (std::size_t i = 0; i < kRows; ++i) builder.set_row(i, rows.data() + i * columns, 0);
      const CodedSet set = builder.finish(*compute::cpu::pair_operations(*device));
      std::vector<CodedPair> pairs;
      for (std::uint32_t a = 0; a < kRows; ++a) {
        for (std::uint32_t b = 0; b < kRows; ++b) pairs.push_back({a, b, 0});
      }
      compute::cpu::pair_operations(*device)->measure(*set.rows, *set.rows, pairs);
      for (const auto& pair : pairs) {
        double square = 0;
        for (std::size_t j = 0; j < columns; ++j) {
          square += std::pow(cloud[pair.query * columns + j] - cloud[pair.base * columns + j], 2);
        }
        const double error = kCodedError * (set.squared_norm[pair.query] + set.squared_norm[pair.base]);
        const double coded = std::sqrt(std::max(0.0, static_cast<double>(pair.squared_distance)));
        const double slack = set.slack[pair.query] + set.slack[pair.base];
        EXPECT_LE(std::sqrt(square), std::sqrt(pair.squared_distance + error) + slack + 1e-12);
        EXPECT_GE(std::sqrt(square), std::sqrt(std::max(0.0, coded * coded - error)) - slack - 1e-12);
        const double square_error = 2.0 * (set.length[pair.query] * set.slack[pair.base] +
                                           set.slack[pair.query] * set.length[pair.base]) +
                                    set.square_error[pair.query] + set.square_error[pair.base] + error;
        EXPECT_LE(std::fabs(square - static_cast<double>(pair.squared_distance)), square_error * (1 + 1e-6));
      }
    }
  }
}

TEST(Coding, SlackIsSmallForANormalCloud) {
  ThreadPool pool(1);
  const auto device = compute::make_cpu_device(pool);
  constexpr std::size_t kRows = 50, kColumns = 384;
  std::vector<double> cloud = clouds::make(clouds::Kind::normal, kRows, kColumns, 3);
  CodeBuilder builder(kRows, kColumns);
  std::vector<float> row(kColumns);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kColumns; ++j) row[j] = static_cast<float>(cloud[i * kColumns + j]);
    row[7] += 300;  // one coordinate far larger than the rest: the rotation spreads it
    builder.set_row(i, row.data(), 0);
  }
  const CodedSet set = builder.finish(*compute::cpu::pair_operations(*device));
  for (std::size_t i = 0; i < kRows; ++i) EXPECT_LT(set.slack[i], 0.02 * std::sqrt(set.squared_norm[i]));
}

TEST(Coding, CodedPointsAreAsLongAsTheRows) {
  ThreadPool pool(1);
  const auto device = compute::make_cpu_device(pool);
  constexpr std::size_t kRows = 50, kColumns = 384;
  const std::vector<double> cloud = clouds::make(clouds::Kind::normal, kRows, kColumns, 4);
  CodeBuilder builder(kRows, kColumns);
  std::vector<float> row(kColumns);
  std::vector<double> squares(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      row[j] = static_cast<float>(cloud[i * kColumns + j]);
      squares[i] += static_cast<double>(row[j]) * row[j];
    }
    builder.set_row(i, row.data(), 0);
  }
  const CodedSet set = builder.finish(*compute::cpu::pair_operations(*device));
  for (std::size_t i = 0; i < kRows; ++i) {
    EXPECT_NEAR(set.squared_norm[i], squares[i], set.square_error[i]);
    EXPECT_LT(set.square_error[i], 1e-5 * squares[i]);
    EXPECT_GE(set.length[i], std::sqrt(squares[i]));
  }
}

}  // namespace
}  // namespace markeval::geometry::cpu
