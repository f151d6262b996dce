#include "geometry/row_order.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "geometry/coding.hpp"

namespace markeval::geometry {
namespace {

// No fewer rows are told apart; a multiple of the tiles of most kernels.
constexpr std::size_t kLeafRows = 24;
// So many of a part show where it is widest.
constexpr std::size_t kLookedAt = 256;

std::size_t widest_axis(MatrixView<const float> points, std::span<const std::uint32_t> part) {
  std::vector<double> sums(points.columns()), squares(points.columns());
  const std::size_t step = (part.size() + kLookedAt - 1) / kLookedAt;
  std::size_t count = 0;
  for (std::size_t i = 0; i < part.size(); i += step, ++count) {
    const auto row = points.row(part[i]);
    for (std::size_t axis = 0; axis < row.size(); ++axis) {
      sums[axis] += static_cast<double>(row[axis]);
      squares[axis] += static_cast<double>(row[axis]) * static_cast<double>(row[axis]);
    }
  }
  std::size_t widest = 0;
  double most = -1;
  for (std::size_t axis = 0; axis < sums.size(); ++axis) {
    const double spread = squares[axis] - sums[axis] * sums[axis] / static_cast<double>(count);
    if (spread > most) {
      most = spread;
      widest = axis;
    }
  }
  return widest;
}

}  // namespace

std::vector<std::uint32_t> neighbours_together(MatrixView<const float> points) {
  std::vector<std::uint32_t> order(points.rows());
  std::iota(order.begin(), order.end(), 0u);
  std::vector<std::pair<float, std::uint32_t>> keys(order.size());
  std::vector<std::pair<std::size_t, std::size_t>> parts = {{0, order.size()}};
  while (!parts.empty()) {
    const auto [begin, end] = parts.back();
    parts.pop_back();
    const std::size_t size = end - begin;
    const std::size_t grain = size > kBlockRows ? kBlockRows : kLeafRows;
    if (size <= grain) continue;
    const std::size_t axis = widest_axis(points, std::span(order).subspan(begin, size));
    for (std::size_t i = begin; i < end; ++i) keys[i] = {points(order[i], axis), order[i]};
    const std::size_t middle = begin + std::bit_floor((size - 1) / grain) * grain;
    const auto first = keys.begin() + static_cast<std::ptrdiff_t>(begin);
    std::nth_element(first, keys.begin() + static_cast<std::ptrdiff_t>(middle),
                     keys.begin() + static_cast<std::ptrdiff_t>(end));
    for (std::size_t i = begin; i < end; ++i) order[i] = keys[i].second;
    parts.emplace_back(begin, middle);
    parts.emplace_back(middle, end);
  }
  return order;
}

}  // namespace markeval::geometry
