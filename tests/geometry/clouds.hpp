// Clouds of points that make neighbour searches go wrong: ties, duplicates, tiny differences on large
// offsets.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.hpp"

namespace markeval::geometry::clouds {

enum class Kind { normal, duplicates, grid, scales, offset, skewed, constant, overflowing, count };

inline std::string name(Kind kind) {
  const char* const names[] = {"normal", "duplicates", "grid",     "scales",
                               "offset", "skewed",     "constant", "overflowing"};
  return names[static_cast<int>(kind)];
}

/// Values that float32 holds exactly, so that the same cloud serves both element types.
inline std::vector<double> make(Kind kind, std::size_t rows, std::size_t columns, std::uint64_t seed) {
  RandomStream random(seed, static_cast<std::uint64_t>(kind));
  std::vector<double> values(rows * columns);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t original = row > 0 && random.uniform() < 0.4 ? random.below(row) : row;
    const double scale = std::pow(10.0, static_cast<double>(row % 5) * 2 - 6);
    for (std::size_t column = 0; column < columns; ++column) {
      double value = random.normal();
      switch (kind) {
        case Kind::duplicates:
          if (original != row) value = values[original * columns + column];
          break;
        case Kind::grid:
          value = static_cast<double>(random.below(4));
          break;
        case Kind::scales:
          value = static_cast<double>(row % 5) * 3 + value * scale;
          break;
        case Kind::offset:
          value = 1e6 + std::floor(value * 3) * 1e-3;
          break;
        case Kind::skewed:
          value *= column == 0 ? 100 : std::exp(-static_cast<double>(column) / 8);
          break;
        case Kind::constant:
          value = 0.25;
          break;
        case Kind::overflowing:
          value *= 1e30;
          break;
        default:
          break;
      }
      values[row * columns + column] =
          kind == Kind::offset ? value : static_cast<double>(static_cast<float>(value));
    }
  }
  return values;
}

}  // namespace markeval::geometry::clouds
