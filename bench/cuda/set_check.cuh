// Holds what the set engine found against plain loops in double, on the device, for any rows; and the
// distances of those loops against the CPU's own code.
#pragma once

#include "geometry/direct_kernels.hpp"
#include "set_engine.cuh"

namespace {

__global__ void compare_radii(const double* expected, const double* got, const int* sample, int count,
                              int rows, unsigned* wrong) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 2 * count) return;
  const int place = i / count * rows + sample[i % count];
  if (!(expected[place] == got[place])) atomicAdd(wrong, 1u);
}
/// A block per row of the sample: what its balls hold of the other set, and whether balls of that hold it.
__global__ void compare_counts(const double* squares, const int* sample, int rows, int other_rows,
                               const double* radii, const double* other_radii, Counts got, unsigned* wrong) {
  __shared__ unsigned hits[2], covered[2];
  if (threadIdx.x < 2) hits[threadIdx.x] = covered[threadIdx.x] = 0;
  __syncthreads();
  const int row = sample[blockIdx.x];
  for (int request = 0; request < 2; ++request) {
    unsigned mine = 0, theirs = 0;
    for (int other = threadIdx.x; other < other_rows; other += blockDim.x) {
      const double square = squares[static_cast<std::size_t>(blockIdx.x) * other_rows + other];
      mine += square <= radii[request * rows + row];
      theirs += square <= other_radii[request * other_rows + other];
    }
    atomicAdd(&hits[request], mine);
    atomicAdd(&covered[request], theirs);
  }
  __syncthreads();
  if (threadIdx.x < 2 && (hits[threadIdx.x] != got.hits[threadIdx.x * rows + row] ||
                          (covered[threadIdx.x] > 0) != got.covered[threadIdx.x * rows + row]))
    atomicAdd(wrong, 1u);
}

struct Checked {
  unsigned radii = 0, counts = 0, distances = 0, neighbours = 0;  // that differ
  std::size_t rows = 0;
  bool right() const { return radii + counts + distances + neighbours == 0; }
};

/// Distances of the device against geometry/direct_kernels.cpp, in the user's numbers.
unsigned wrong_distances(const Engine& engine, const Set& mine, const Set& other, const double* squares,
                         int row) {
  const std::size_t columns = engine.columns, theirs = other.rows;
  const auto values = [&](const Set& set, std::size_t index) {
    std::vector<float> result = host(set.x + index * set.stride, columns);
    for (float& value : result) value = std::scalbn(value, -engine.power);
    return result;
  };
  const std::vector<float> a = values(mine, row);
  const std::vector<double> all = host(squares, theirs);
  unsigned wrong = 0;
  for (std::size_t j = row % theirs, i = 0; i < 3; ++i, j = (j + theirs / 3) % theirs) {
    const std::vector<float> b = values(other, j);
    wrong += std::scalbn(all[j], -2 * engine.power) !=
             markeval::geometry::portable::kDirectKernels.float_float(a.data(), b.data(), columns);
  }
  return wrong;
}

/// `sample_rows` of either set, spread evenly; all where there are no more.
Checked check(const Engine& engine, int sample_rows) {
  Checked result;
  unsigned* const wrong = device<unsigned>(2);
  for (int s = 0; s < 2; ++s) {
    const Set &mine = engine.sets[s], &other = engine.sets[1 - s];
    const int count = std::min(sample_rows, mine.rows);
    std::vector<int> sample(count);
    for (int i = 0; i < count; ++i)
      sample[i] = static_cast<int>(static_cast<long long>(i) * mine.rows / count);
    int* const indices = device<int>(count);
    CHECK(cudaMemcpy(indices, sample.data(), count * 4, cudaMemcpyHostToDevice));
    double* const expected = device<double>(2 * static_cast<std::size_t>(mine.rows));
    for (int begin = 0; begin < count; begin += 64) {
      const int some = std::min(64, count - begin);
      const auto distances_to = [&](const Set& set) {
        decide::plain_distances<<<blocks_for(static_cast<std::size_t>(set.rows) * 8), 256>>>(
            mine.as_rows(), set.as_rows(), indices + begin, some, engine.hard_squares);
        if (begin % 1024 == 0)
          result.distances += wrong_distances(engine, mine, set, engine.hard_squares, sample[begin]);
      };
      distances_to(mine);
      hard_nearest<<<some, 256>>>(engine.hard_squares, indices + begin, mine.rows, mine.k,
                                  {expected, nullptr, nullptr});
      compare_radii<<<1, 128>>>(expected, mine.radii, indices + begin, some, mine.rows, wrong);
      distances_to(other);
      compare_counts<<<some, 256>>>(engine.hard_squares, indices + begin, mine.rows, other.rows, mine.radii,
                                    other.radii, mine.counts, wrong + 1);
    }
    CHECK(cudaDeviceSynchronize());
    result.rows += count;
    CHECK(cudaFree(indices));
    CHECK(cudaFree(expected));
  }
  const auto numbers = host(wrong, 2);
  result.radii = numbers[0], result.counts = numbers[1];
  CHECK(cudaFree(wrong));
  return result;
}

/// Rows whose k neighbours are not those of plain loops: nearest first, equal distances by the lower row.
template <typename T>
unsigned wrong_neighbours(const Engine& engine, const Set& set, decide::RowsOf<T> given) {
  std::vector<int> numbers(set.rows);
  std::iota(numbers.begin(), numbers.end(), 0);
  int* const all = device<int>(set.rows);
  CHECK(cudaMemcpy(all, numbers.data(), set.rows * 4, cudaMemcpyHostToDevice));
  const auto found = host(set.near, static_cast<std::size_t>(set.rows) * set.k);
  unsigned wrong = 0;
  for (int begin = 0; begin < set.rows && set.k > 0; begin += 64) {
    const int count = std::min(64, set.rows - begin);
    decide::plain_distances<<<blocks_for(static_cast<std::size_t>(set.rows) * 8), 256>>>(
        given, given, all + begin, count, engine.hard_squares);
    const auto squares = host(engine.hard_squares, static_cast<std::size_t>(count) * set.rows);
    for (int i = 0; i < count; ++i) {
      std::vector<std::pair<double, std::uint32_t>> near;
      for (int other = 0; other < set.rows; ++other)
        if (other != begin + i)
          near.push_back({squares[static_cast<std::size_t>(i) * set.rows + other], other});
      std::partial_sort(near.begin(), near.begin() + set.k, near.end());
      bool same = true;
      for (int place = 0; place < set.k; ++place) {
        const decide::Near& mine = found[static_cast<std::size_t>(begin + i) * set.k + place];
        same = same && mine.row == near[place].second && mine.square == near[place].first;
      }
      wrong += same ? 0 : 1;
    }
  }
  CHECK(cudaFree(all));
  return wrong;
}

/// Rows of float64 through plain loops, on the device and on the host: radii, neighbours and counts that
/// differ. Their numbers are those of `given`, moved by what float32 cannot hold.
unsigned wrong_in_double(Engine& engine) {
  std::vector<double> rows[2];
  double* on_device[2];
  decide::RowsOf<double> views[2];
  const std::size_t columns = engine.columns;
  for (int s = 0; s < 2; ++s) {
    const Set& set = engine.sets[s];
    const auto floats = host(set.given, static_cast<std::size_t>(set.rows) * set.stride);
    for (int row = 0; row < set.rows; ++row)
      for (std::size_t i = 0; i < columns; ++i) {
        const double value = floats[row * static_cast<std::size_t>(set.stride) + i];
        rows[s].push_back(value * (1 + static_cast<double>((row * columns + i) % 7) * 1e-10));
      }
    on_device[s] = device<double>(rows[s].size());
    CHECK(cudaMemcpy(on_device[s], rows[s].data(), rows[s].size() * 8, cudaMemcpyHostToDevice));
    views[s] = {on_device[s], set.rows, engine.columns, engine.columns};
    count_up<<<blocks_for(set.rows), 256>>>(set.order, set.rows);
  }
  compare_plainly(engine, views[0], views[1]);
  unsigned wrong = 0;
  std::vector<double> radii[2];
  const auto square = [&](int s, int row, int t, int other) {
    return markeval::geometry::portable::kDirectKernels.double_double(
        rows[s].data() + row * columns, rows[t].data() + other * columns, columns);
  };
  for (int s = 0; s < 2; ++s) {
    const Set& set = engine.sets[s];
    radii[s] = host(set.radii, 2 * static_cast<std::size_t>(set.rows));
    wrong += wrong_neighbours(engine, set, views[s]);
    for (int row = 0; row < set.rows && set.k > 0; ++row) {
      std::vector<double> squares;
      for (int other = 0; other < set.rows; ++other)
        if (other != row) squares.push_back(square(s, row, s, other));
      std::partial_sort(squares.begin(), squares.begin() + set.k, squares.end());
      wrong += radii[s][row] != squares[0] || radii[s][set.rows + row] != squares[set.k - 1];
    }
  }
  for (int s = 0; s < 2; ++s) {
    const Set &mine = engine.sets[s], &other = engine.sets[1 - s];
    const auto hits = host(mine.counts.hits, 2 * static_cast<std::size_t>(mine.rows));
    const auto covered = host(mine.counts.covered, 2 * static_cast<std::size_t>(mine.rows));
    for (int request = 0; request < 2; ++request)
      for (int row = 0; row < mine.rows; ++row) {
        unsigned inside = 0;
        bool is_covered = false;
        for (int j = 0; j < other.rows; ++j) {
          const double distance = square(s, row, 1 - s, j);
          inside += distance <= radii[s][request * mine.rows + row];
          is_covered |= distance <= radii[1 - s][request * other.rows + j];
        }
        wrong += inside != hits[request * mine.rows + row] ||
                 is_covered != (covered[request * mine.rows + row] != 0);
      }
  }
  for (double* memory : on_device) CHECK(cudaFree(memory));
  return wrong;
}

}  // namespace
