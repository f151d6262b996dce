// What comparing sets gave, the same to the bit.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

#include "geometry/set_comparison.hpp"

namespace markeval::geometry {

inline void expect_equal(const NeighbourLists& actual, const NeighbourLists& expected) {
  ASSERT_EQ(actual.k, expected.k);
  ASSERT_EQ(actual.neighbours.size(), expected.neighbours.size());
  for (std::size_t i = 0; i < actual.neighbours.size(); ++i) {
    ASSERT_EQ(actual.neighbours[i].row, expected.neighbours[i].row)
        << "row " << i / actual.k << " place " << i % actual.k;
    ASSERT_EQ(actual.neighbours[i].squared_distance, expected.neighbours[i].squared_distance);
  }
}

inline void expect_equal(const BallCounts& actual, const BallCounts& expected) {
  ASSERT_EQ(actual.hits, expected.hits);
  ASSERT_EQ(actual.covered, expected.covered);
}

}  // namespace markeval::geometry
