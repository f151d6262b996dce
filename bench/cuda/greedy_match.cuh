// Greedy matching of token rows on the card: for every row of a text its largest cosine with a row of the
// other text, both ways, for many pairs of texts. The cosines have the bits of compute/cpu/row_matching.cpp:
// 1 - squared distance / 2, the distance in sixteen running sums that are added in halves. Compile with
// -fmad=false.
#pragma once

#include <cstddef>
#include <cstdint>

namespace match {

/// Rows of length 1 (or 0) of all texts, one text after the other; pair p is texts 2 p and 2 p + 1.
struct Texts {
  const float* rows;
  const int* starts;  // of the texts, and the end
  int columns;
};

/// Numbers as integers of the same order; the maximum of a set does not depend on who comes first.
__device__ inline int ordered(float value) {
  const int bits = __float_as_int(value);
  return bits >= 0 ? bits : bits ^ 0x7fffffff;
}
__device__ inline float from_ordered(int bits) {
  return __int_as_float(bits >= 0 ? bits : bits ^ 0x7fffffff);
}

constexpr int kMatchThreads = 256, kSide = 4;

/// A block per pair of texts; sixteen threads, one per running sum, take 4 x 4 cosines at a time. `best`: of
/// every row. Shared memory: a number for each row of the pair.
__global__ void __launch_bounds__(kMatchThreads) best_cosines(Texts texts, float* best) {
  extern __shared__ int shared[];
  const int begin = texts.starts[2 * blockIdx.x], middle = texts.starts[2 * blockIdx.x + 1];
  const int end = texts.starts[2 * blockIdx.x + 2], first = middle - begin, second = end - middle;
  int* const most = shared;  // ordered cosines of the rows of both
  const int columns = texts.columns, sum = threadIdx.x % 16, group = threadIdx.x / 16;
  const float* const rows = texts.rows + static_cast<std::size_t>(begin) * columns;
  for (int row = threadIdx.x; row < first + second; row += kMatchThreads) most[row] = ordered(-2.0f);
  __syncthreads();
  const int across = (second + kSide - 1) / kSide, tiles = (first + kSide - 1) / kSide * across;
  for (int base = 0; base < tiles;
       base += kMatchThreads / 16) {  // all threads stay together for the shuffles
    const int tile = min(base + group, tiles - 1);
    const int a0 = tile / across * kSide, b0 = tile % across * kSide;
    const float *a[kSide], *b[kSide];
#pragma unroll
    for (int i = 0; i < kSide; ++i) {
      a[i] = rows + static_cast<std::size_t>(min(a0 + i, first - 1)) * columns;
      b[i] = rows + static_cast<std::size_t>(first + min(b0 + i, second - 1)) * columns;
    }
    float sums[kSide][kSide] = {};
    bool a_nonzero[kSide] = {}, b_nonzero[kSide] = {};
#pragma unroll 2
    for (int column = sum; column < columns; column += 16) {
      float x[kSide], y[kSide];
#pragma unroll
      for (int i = 0; i < kSide; ++i) {
        x[i] = a[i][column], y[i] = b[i][column];
        a_nonzero[i] |= x[i] != 0, b_nonzero[i] |= y[i] != 0;
      }
#pragma unroll
      for (int i = 0; i < kSide; ++i)
#pragma unroll
        for (int j = 0; j < kSide; ++j) {
          const float difference = x[i] - y[j];
          sums[i][j] = sums[i][j] + difference * difference;
        }
    }
#pragma unroll
    for (int step = 8; step > 0; step /= 2)
#pragma unroll
      for (int i = 0; i < kSide; ++i)
#pragma unroll
        for (int j = 0; j < kSide; ++j) sums[i][j] = sums[i][j] + __shfl_xor_sync(~0u, sums[i][j], step);
    // Thread s of the sixteen takes cosine s. A row of zeros has cosine 0 with every other.
    float mine = 0;
    const unsigned sixteen = 0xffffu << (threadIdx.x & 16);
#pragma unroll
    for (int i = 0; i < kSide; ++i) {
      a_nonzero[i] = (__ballot_sync(~0u, a_nonzero[i]) & sixteen) != 0;
      b_nonzero[i] = (__ballot_sync(~0u, b_nonzero[i]) & sixteen) != 0;
    }
#pragma unroll
    for (int i = 0; i < kSide; ++i)
#pragma unroll
      for (int j = 0; j < kSide; ++j)
        if (sum == i * kSide + j)
          mine = a_nonzero[i] && b_nonzero[j] ? fmaxf(-1.0f, 1 - sums[i][j] / 2) : 0.0f;
    const int row = a0 + sum / kSide, other = b0 + sum % kSide;
    if (base + group < tiles && row < first && other < second) {
      const int cosine = ordered(mine);
      atomicMax(&most[row], cosine);
      atomicMax(&most[first + other], cosine);
    }
  }
  __syncthreads();
  for (int row = threadIdx.x; row < first + second; row += kMatchThreads)
    best[begin + row] = from_ordered(most[row]);
}

}  // namespace match
