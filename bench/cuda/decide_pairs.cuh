// What happens to the pairs of the filter: a float32 distance with a bound, then the squared distance in
// double in the CPU's order (geometry/direct_distance.hpp). A warp works on a row of the lists.
#pragma once

#include "pair_filter.cuh"

namespace decide {

using filter::Fact;
using filter::kBest;

constexpr int kKept = 16;  // neighbours of a row that may still be among its k nearest
constexpr double kFloatError =
    3e-6;  // of a float32 distance: one chain of columns / 32, five sums, three roundings
constexpr int kMaxColumns = 768;

/// The squared distance in double of geometry/direct_kernels.cpp: eight running sums, blocks of at most 128,
/// halves added, nothing fused. Eight neighbouring lanes work on a pair; all of them get the result.
__device__ inline double squared_distance(const float* a, const float* b, int count, int lane) {
  const auto square = [&](int i) {
    const double difference = __dsub_rn(a[i], b[i]);
    return __dmul_rn(difference, difference);
  };
  if (count < 8) {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum = __dadd_rn(sum, square(i));
    return sum;
  }
  if (count <= 128) {
    double sum = square(lane);
    int i = 8;
    for (; i + 8 <= count; i += 8) sum = __dadd_rn(sum, square(i + lane));
    for (int step = 1; step < 8; step *= 2)
      sum = __dadd_rn(sum, __shfl_xor_sync(0xffu << (threadIdx.x & 24), sum, step));
    for (; i < count; ++i) sum = __dadd_rn(sum, square(i));
    return sum;
  }
  int half = count / 2;
  half -= half % 8;
  const double first = squared_distance(a, b, half, lane);
  return __dadd_rn(first, squared_distance(a + half, b + half, count - half, lane));
}

/// A row in the registers of a warp.
struct WarpRow {
  float4 part[kMaxColumns / 128];
  __device__ void load(const float* row, int columns, int lane) {
#pragma unroll
    for (int i = 0; i < kMaxColumns / 128; ++i)
      if (i * 128 < columns) part[i] = *reinterpret_cast<const float4*>(row + i * 128 + lane * 4);
  }
  __device__ float squared_distance(const float* other, int columns, int lane) const {
    float4 theirs[kMaxColumns / 128];
#pragma unroll
    for (int i = 0; i < kMaxColumns / 128; ++i)
      if (i * 128 < columns) theirs[i] = *reinterpret_cast<const float4*>(other + i * 128 + lane * 4);
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kMaxColumns / 128; ++i) {
      if (i * 128 >= columns) continue;
      const float x = part[i].x - theirs[i].x, y = part[i].y - theirs[i].y;
      const float z = part[i].z - theirs[i].z, w = part[i].w - theirs[i].w;
      sum = fmaf(x, x, sum), sum = fmaf(y, y, sum), sum = fmaf(z, z, sum), sum = fmaf(w, w, sum);
    }
    return filter::warp_sum(sum);
  }
};

/// All columns of the codes, for pairs that only a head has looked at.
struct FullCodes {
  const std::int8_t* rows = nullptr;  // null: the pair has been looked at with all columns already
  const std::int8_t* columns = nullptr;
  const Fact* row_facts = nullptr;
  const Fact* column_facts = nullptr;
  filter::Space space;
  /// The least squared distance, in units of the user.
  __device__ float lower(int row, int column, int width, int lane) const {
    const int* a = reinterpret_cast<const int*>(rows + static_cast<std::size_t>(row) * width);
    const int* b = reinterpret_cast<const int*>(columns + static_cast<std::size_t>(column) * width);
    int sum = 0;
    for (int i = lane; i < width / 4; i += 32) sum = __dp4a(a[i], b[i], sum);
    sum = __reduce_add_sync(~0u, sum);
    const Fact x = row_facts[row], y = column_facts[column];
    const float units = x.square + y.square - 2.0f * sum - filter::pair_error(x, y, space.error);
    return units * space.scale * space.scale;
  }
};

struct Kept {
  std::uint32_t row;
  float squared_distance;
};

/// Measures the list of every row against its own set, keeps what may be among its k nearest, lowers its
/// reach and empties the list.
__global__ void keep_nearest(const float* x, int rows, int columns, int k, std::uint32_t* counts,
                             const uint2* lists, std::uint32_t capacity, float unit_square, FullCodes full,
                             float* reach_squared, Kept* kept, std::uint32_t* kept_counts,
                             unsigned long long* measured, int* overflow) {
  const int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= rows) return;
  const std::uint32_t count = counts[row];
  if (count == 0) return;
  if (count > capacity) {
    if (lane == 0) atomicAdd(overflow, 1);
    return;
  }
  WarpRow mine;
  mine.load(x + static_cast<std::size_t>(row) * columns, columns, lane);
  float reach = reach_squared[row];
  std::uint32_t held = kept_counts[row];
  Kept here = lane < held ? kept[static_cast<std::size_t>(row) * kKept + lane] : Kept{0, INFINITY};
  float top[kBest];
#pragma unroll
  for (int i = 0; i < kBest; ++i) top[i] = INFINITY;
  const auto take = [&](float upper) {
#pragma unroll
    for (int i = 0; i < kBest; ++i) {
      const float smaller = fminf(top[i], upper);
      upper = fmaxf(top[i], upper);
      top[i] = smaller;
    }
#pragma unroll
    for (int i = 0; i < kBest; ++i)
      if (i == k - 1) reach = fminf(reach, top[i]);
  };
  const auto drop_far = [&] {  // closes the gaps: lane n gets the n-th that stays
    const bool stays = lane < held && here.squared_distance * static_cast<float>(1 - kFloatError) <= reach;
    const std::uint32_t mask = __ballot_sync(~0u, stays);
    held = __popc(mask);
    const int from = __fns(mask, 0, lane + 1);
    here.row = __shfl_sync(~0u, here.row, from & 31);
    here.squared_distance = __shfl_sync(~0u, here.squared_distance, from & 31);
  };
  for (std::uint32_t i = 0; i < held; ++i)
    take(__shfl_sync(~0u, here.squared_distance, i) * static_cast<float>(1 + kFloatError));
  std::uint32_t looked = 0;
  for (std::uint32_t begin = 0; begin < count; begin += 32) {
    const uint2 entry =
        begin + lane < count ? lists[static_cast<std::size_t>(row) * capacity + begin + lane] : uint2{};
    for (std::uint32_t i = 0; i < min(32u, count - begin); ++i) {
      const std::uint32_t other = __shfl_sync(~0u, entry.x, i);
      if (full.rows != nullptr) {
        if (full.lower(row, other, columns, lane) * static_cast<float>(1 - kFloatError) > reach) continue;
      } else if (__uint_as_float(__shfl_sync(~0u, entry.y, i)) * unit_square *
                     static_cast<float>(1 - kFloatError) >
                 reach) {
        continue;
      }
      const float square =
          mine.squared_distance(x + static_cast<std::size_t>(other) * columns, columns, lane);
      ++looked;
      if (square * static_cast<float>(1 - kFloatError) > reach) continue;
      take(square * static_cast<float>(1 + kFloatError));
      if (held == kKept) drop_far();
      if (held == kKept) {
        if (lane == 0) atomicAdd(overflow + 1, 1);
        continue;
      }
      if (lane == held) here = {other, square};
      ++held;
    }
  }
  drop_far();
  if (lane < held) kept[static_cast<std::size_t>(row) * kKept + lane] = here;
  if (lane == 0) {
    kept_counts[row] = held;
    reach_squared[row] = reach;
    counts[row] = 0;
    atomicAdd(measured, static_cast<unsigned long long>(looked));
  }
}

/// Squared radii in double: radii[row] to the nearest, radii[rows + row] to the k-th nearest.
__global__ void measure_kept(const float* x, int rows, int columns, int k, const Kept* kept,
                             const std::uint32_t* kept_counts, double* radii) {
  const int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= rows) return;
  const int count = kept_counts[row];
  double mine = INFINITY;  // of pair `lane`
  for (int begin = 0; begin < count; begin += 4) {
    const int pair = min(begin + lane / 8, count - 1);
    const std::uint32_t other = kept[static_cast<std::size_t>(row) * kKept + pair].row;
    const double square = squared_distance(x + static_cast<std::size_t>(row) * columns,
                                           x + static_cast<std::size_t>(other) * columns, columns, lane % 8);
    for (int i = 0; i < 4; ++i) {
      const double value = __shfl_sync(~0u, square, i * 8);
      if (lane == begin + i && begin + i < count) mine = value;
    }
  }
  for (int nearest = 1; nearest <= k; ++nearest) {
    double least = mine;
    for (int step = 16; step > 0; step /= 2) least = fmin(least, __shfl_xor_sync(~0u, least, step));
    if (lane == 0 && nearest == 1) radii[row] = least;
    if (lane == 0 && nearest == k) radii[rows + row] = least;
    const std::uint32_t mask = __ballot_sync(~0u, mine == least);
    if (lane == __ffs(mask) - 1) mine = INFINITY;
  }
}

/// Counts of both requests (k = 1, the largest k): [request * rows + row].
struct Counts {
  std::uint32_t* hits;
  std::uint8_t* covered;
};

/// Decides the pairs in the lists of x, closed balls of both sets, and empties the lists. Called for either
/// set.
__global__ void count_pairs(const float* x, const float* y, int x_rows, int y_rows, int columns,
                            std::uint32_t* counts, const uint2* lists, std::uint32_t capacity, FullCodes full,
                            const double* x_radii, const double* y_radii, Counts x_counts, Counts y_counts,
                            unsigned long long* measured) {
  const int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= x_rows) return;
  const std::uint32_t count = min(counts[row], capacity);
  if (count == 0) return;
  const float* const here = x + static_cast<std::size_t>(row) * columns;
  WarpRow mine;
  mine.load(here, columns, lane);
  std::uint32_t hits[2] = {}, looked = 0, doubles = 0;
  bool covered[2] = {};
  for (std::uint32_t begin = 0; begin < count; begin += 32) {
    const uint2 entry =
        begin + lane < count ? lists[static_cast<std::size_t>(row) * capacity + begin + lane] : uint2{};
    for (std::uint32_t i = 0; i < min(32u, count - begin); ++i) {
      const std::uint32_t other = __shfl_sync(~0u, entry.x, i);
      const double mine_radius[2] = {x_radii[row], x_radii[x_rows + row]};
      const double their_radius[2] = {y_radii[other], y_radii[y_rows + other]};
      if (full.rows != nullptr &&
          full.lower(row, other, columns, lane) * (1 - kFloatError) > fmax(mine_radius[1], their_radius[1]))
        continue;
      const float* const there = y + static_cast<std::size_t>(other) * columns;
      double square = mine.squared_distance(there, columns, lane);
      ++looked;
      bool sure = true;
      for (int request = 0; request < 2; ++request) {
        sure &= fabs(square - mine_radius[request]) > kFloatError * square;
        sure &= fabs(square - their_radius[request]) > kFloatError * square;
      }
      if (!sure) square = squared_distance(here, there, columns, lane % 8), ++doubles;
      if (lane != 0) continue;
      for (int request = 0; request < 2; ++request) {
        if (square <= mine_radius[request]) {
          ++hits[request];
          y_counts.covered[request * y_rows + other] = 1;
        }
        if (square <= their_radius[request]) {
          atomicAdd(y_counts.hits + request * y_rows + other, 1u);
          covered[request] = true;
        }
      }
    }
  }
  if (lane != 0) return;
  for (int request = 0; request < 2; ++request) {
    x_counts.hits[request * x_rows + row] += hits[request];
    if (covered[request]) x_counts.covered[request * x_rows + row] = 1;
  }
  counts[row] = 0;
  atomicAdd(measured, static_cast<unsigned long long>(looked));
  atomicAdd(measured + 1, static_cast<unsigned long long>(doubles));
}

/// The plain way, for checks and for rows whose lists are full: all distances of a few rows. Eight lanes a
/// column.
__global__ void plain_distances(const float* x, const float* y, int y_rows, int columns, const int* sample,
                                int count, double* out) {
  const int other = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
  if (other >= y_rows) return;
  for (int i = 0; i < count; ++i)
    out[static_cast<std::size_t>(i) * y_rows + other] =
        squared_distance(x + static_cast<std::size_t>(sample[i]) * columns,
                         y + static_cast<std::size_t>(other) * columns, columns, threadIdx.x % 8);
}

}  // namespace decide
