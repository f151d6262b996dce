// The oracle: neighbours, balls and coverage by plain loops in double, squares summed in NumPy's pairwise
// order. Slow and obviously right; everything fast is compared with it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "geometry/set_comparison.hpp"

namespace markeval::testing {

inline double pairwise_sum(std::span<const double> values) {
  const std::size_t count = values.size();
  if (count < 8) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum;
  }
  if (count <= 128) {
    double lane[8];
    for (std::size_t j = 0; j < 8; ++j) lane[j] = values[j];
    std::size_t i = 8;
    for (; i + 8 <= count; i += 8) {
      for (std::size_t j = 0; j < 8; ++j) lane[j] += values[i + j];
    }
    double sum = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
    for (; i < count; ++i) sum += values[i];
    return sum;
  }
  std::size_t half = count / 2;
  half -= half % 8;
  return pairwise_sum(values.first(half)) + pairwise_sum(values.subspan(half));
}

inline std::vector<double> row_of(const geometry::Points& points, std::size_t row) {
  std::vector<double> values(points.columns());
  points.visit(
      [&](const auto& view) { std::copy(view.row(row).begin(), view.row(row).end(), values.begin()); });
  return values;
}

inline double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> squares(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) squares[i] = (a[i] - b[i]) * (a[i] - b[i]);
  return pairwise_sum(squares);
}

inline geometry::NeighbourLists brute_force_neighbours(const geometry::Points& points, std::size_t k) {
  geometry::NeighbourLists lists;
  lists.k = k;
  for (std::uint32_t i = 0; i < points.rows(); ++i) {
    std::vector<geometry::Neighbour> all;
    for (std::uint32_t j = 0; j < points.rows(); ++j) {
      if (j != i) all.push_back({j, squared_distance(row_of(points, i), row_of(points, j))});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.squared_distance < b.squared_distance; });
    lists.neighbours.insert(lists.neighbours.end(), all.begin(),
                            all.begin() + static_cast<std::ptrdiff_t>(k));
  }
  return lists;
}

inline geometry::BallCounts brute_force_balls(const geometry::Points& centres,
                                              const geometry::NeighbourLists& lists,
                                              const geometry::Points& points,
                                              const geometry::BallRequest& request) {
  geometry::BallCounts counts;
  counts.hits.assign(centres.rows(), 0);
  counts.covered.assign(points.rows(), 0);
  for (std::size_t i = 0; i < centres.rows(); ++i) {
    const double radius = lists.squared_radius(i, request.k);
    for (std::size_t j = 0; j < points.rows(); ++j) {
      const double distance = squared_distance(row_of(centres, i), row_of(points, j));
      const bool inside = request.ball == geometry::Ball::closed ? distance <= radius : distance < radius;
      if (!inside) continue;
      ++counts.hits[i];
      counts.covered[j] = 1;
    }
  }
  return counts;
}

inline geometry::SetComparison brute_force_comparison(const geometry::Points& reference,
                                                      const geometry::Points& evaluated,
                                                      std::span<const geometry::BallRequest> requests) {
  std::size_t k = 0;
  for (const geometry::BallRequest& request : requests) k = std::max(k, request.k);
  geometry::SetComparison result;
  result.reference = brute_force_neighbours(reference, k);
  result.evaluated = brute_force_neighbours(evaluated, k);
  for (const geometry::BallRequest& request : requests) {
    result.counts.push_back({request, brute_force_balls(reference, result.reference, evaluated, request),
                             brute_force_balls(evaluated, result.evaluated, reference, request)});
  }
  result.statistics.method = "brute force";
  return result;
}

}  // namespace markeval::testing
