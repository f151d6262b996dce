// Rows of unit length with random weights, and their cosines in double.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/random.hpp"
#include "geometry/small_products.hpp"
#include "metric/token_rows.hpp"

namespace markeval::metric {

inline TokenRows random_rows(std::uint64_t seed, std::size_t count, std::size_t columns) {
  RandomStream random(seed, 17);
  TokenRows rows;
  rows.columns = columns;
  for (std::size_t index = 0; index < count * columns; ++index) {
    rows.values.push_back(static_cast<float>(random.normal() + 0.5));
  }
  for (std::uint32_t row = 0; row < count; ++row) {
    rows.weights.push_back(random.uniform() + 0.01);
    rows.first.push_back(row);
    rows.last.push_back(row);
  }
  geometry::normalize_rows(rows.view());
  return rows;
}

inline double cosine(const TokenRows& a, std::size_t i, const TokenRows& b, std::size_t j) {
  double product = 0;
  double a_squares = 0;
  double b_squares = 0;
  for (std::size_t k = 0; k < a.columns; ++k) {
    const double x = a.view()(i, k);
    const double y = b.view()(j, k);
    product += x * y;
    a_squares += x * x;
    b_squares += y * y;
  }
  return product / std::sqrt(a_squares * b_squares);
}

}  // namespace markeval::metric
