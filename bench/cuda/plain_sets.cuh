// Sets compared without a filter: every pair is measured in double.
#pragma once

#include <numeric>

#include "set_lists.cuh"

namespace {

/// Radii, neighbours and counts by plain loops in double over all pairs: for rows of float64, and for float32
/// rows that no power of two brings into range. No filter, so no row is hard and no tie is special.
template <typename T>
void compare_plainly(Engine& engine, decide::RowsOf<T> first, decide::RowsOf<T> second) {
  const decide::RowsOf<T> rows[2] = {first, second};
  std::vector<int> numbers(std::max(first.rows, second.rows));
  std::iota(numbers.begin(), numbers.end(), 0);
  int* const all = device<int>(numbers.size());
  CHECK(cudaMemcpy(all, numbers.data(), numbers.size() * 4, cudaMemcpyHostToDevice));
  const auto for_rows = [&](int s, int against, auto use) {
    for (int begin = 0; begin < rows[s].rows; begin += 64) {
      const int count = std::min(64, rows[s].rows - begin);
      decide::plain_distances<<<blocks_for(static_cast<std::size_t>(rows[against].rows) * 8), 256>>>(
          rows[s], rows[against], all + begin, count, engine.hard_squares);
      use(all + begin, count);
    }
  };
  for (int s = 0; s < 2; ++s) {
    const Set& set = engine.sets[s];
    CHECK(cudaMemset(set.counts.hits, 0, set.rows * 8));
    CHECK(cudaMemset(set.counts.covered, 0, set.rows * 2));
    for_rows(s, s, [&](const int* some, int count) {
      hard_nearest<<<count, 256>>>(engine.hard_squares, some, set.rows, set.k, set.found());
    });
  }
  for (int s = 0; s < 2; ++s) {
    const Set &mine = engine.sets[s], &other = engine.sets[1 - s];
    for_rows(s, 1 - s, [&](const int* some, int count) {
      hard_counts<<<count, 256>>>(engine.hard_squares, some, mine.rows, other.rows, mine.radii, mine.counts,
                                  other.counts);
    });
  }
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(all));
}

}  // namespace
