#include "geometry/points.hpp"

#include <cassert>

namespace markeval::geometry {

void Points::copy_row(std::size_t row, std::span<double> out) const {
  assert(out.size() == columns());
  visit([&](const auto& view) {
    const auto values = view.row(row);
    for (std::size_t column = 0; column < values.size(); ++column) out[column] = values[column];
  });
}

}  // namespace markeval::geometry
