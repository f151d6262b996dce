// Float sums the compiler can turn into vectors: eight running sums, since a single one it may not reorder.
#pragma once

#include <cstddef>
#include <numeric>

namespace markeval::geometry {

/// term(0) + ... + term(count - 1), every eighth term in one running sum.
template <typename Term>
float sum_of_floats(std::size_t count, Term term) {
  float sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += term(i + lane);
  }
  for (; i < count; ++i) sums[0] += term(i);
  return std::accumulate(sums, sums + 8, 0.0f);
}

}  // namespace markeval::geometry
