// Set comparison written plainly: every distance in double, every list sorted, every ball
// counted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "geometry/set_comparison.hpp"

namespace markeval::geometry::oracle {

using Rows = std::vector<std::vector<double>>;

// NumPy's order of summation, element by element.
inline double pairwise_sum(const std::vector<double>& terms, std::size_t begin, std::size_t count) {
  if (count < 8) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += terms[begin + i];
    return sum;
  }
  if (count <= 128) {
    double sums[8];
    for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] = terms[begin + lane];
    std::size_t i = 8;
    for (; i < count - count % 8; i += 8) {
      for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += terms[begin + i + lane];
    }
    double sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    for (; i < count; ++i) sum += terms[begin + i];
    return sum;
  }
  std::size_t half = count / 2;
  half -= half % 8;
  return pairwise_sum(terms, begin, half) + pairwise_sum(terms, begin + half, count - half);
}

inline double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
  thread_local std::vector<double> squares;
  squares.resize(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) squares[i] = (a[i] - b[i]) * (a[i] - b[i]);
  return pairwise_sum(squares, 0, squares.size());
}

/// Squared distances of all rows of `a` to all rows of `b`.
inline Rows distances(const Rows& a, const Rows& b) {
  Rows result(a.size(), std::vector<double>(b.size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) result[i][j] = squared_distance(a[i], b[j]);
  }
  return result;
}

inline NeighbourLists neighbours(const Rows& rows, std::size_t k) {
  const Rows all_distances = distances(rows, rows);
  NeighbourLists lists;
  lists.k = k;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::vector<Neighbour> all;
    for (std::size_t other = 0; other < rows.size(); ++other) {
      if (other != row) all.push_back({static_cast<std::uint32_t>(other), all_distances[row][other]});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.squared_distance < b.squared_distance; });
    lists.neighbours.insert(lists.neighbours.end(), all.begin(),
                            all.begin() + static_cast<std::ptrdiff_t>(k));
  }
  return lists;
}

/// `to_points`: squared distances from the centres (rows) to the points (columns).
inline BallCounts count(const NeighbourLists& centres, const Rows& to_points, BallRequest request) {
  BallCounts counts{std::vector<std::uint32_t>(to_points.size()),
                    std::vector<std::uint8_t>(to_points[0].size())};
  for (std::size_t c = 0; c < to_points.size(); ++c) {
    const double radius = centres.of(c)[request.k - 1].squared_distance;
    for (std::size_t p = 0; p < to_points[c].size(); ++p) {
      if (request.ball == Ball::closed ? to_points[c][p] <= radius : to_points[c][p] < radius) {
        ++counts.hits[c];
        counts.covered[p] = 1;
      }
    }
  }
  return counts;
}

}  // namespace markeval::geometry::oracle
