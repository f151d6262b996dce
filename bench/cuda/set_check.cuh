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
  unsigned radii = 0, counts = 0, distances = 0;  // that differ
  std::size_t rows = 0;
  bool right() const { return radii + counts + distances == 0; }
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
      hard_radii<<<some, 256>>>(engine.hard_squares, indices + begin, mine.rows, mine.k, expected);
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

}  // namespace
