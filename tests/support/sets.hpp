// Small random sets of points for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "geometry/points.hpp"

namespace markeval::testing {

template <typename T>
struct PointSet {
  std::vector<T> values;
  std::size_t columns = 0;

  std::size_t rows() const { return values.size() / columns; }
  geometry::Points points() const { return MatrixView<const T>(values.data(), rows(), columns); }
};

/// Normal values around `offset`; `grid` > 0 rounds them to multiples of it, which makes ties and duplicates.
template <typename T>
PointSet<T> random_points(std::uint64_t seed, std::size_t rows, std::size_t columns, double offset = 0,
                          double grid = 0) {
  RandomStream random(seed, rows * 1000 + columns);
  PointSet<T> set{{}, columns};
  for (std::size_t i = 0; i < rows * columns; ++i) {
    double value = offset + random.normal();
    if (grid > 0) value = grid * static_cast<double>(static_cast<long>(value / grid));
    set.values.push_back(static_cast<T>(value));
  }
  return set;
}

}  // namespace markeval::testing
