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
constexpr float kTiny = 1e-33f;  // below it float32 may have lost what double has
constexpr int kMaxColumns = 1024;

__device__ inline float at_least(float square) {
  return fmaxf(square * static_cast<float>(1 - kFloatError) - kTiny, 0);
}
__device__ inline float at_most(float square) {
  return square * static_cast<float>(1 + kFloatError) + kTiny;
}

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

/// Of four pairs side by side, eight lanes each: lane i gets the squared distance of pair i % 4 to the row.
__device__ inline double four_distances(const float* row, const float* x, int stride, int columns,
                                        std::uint32_t other, int lane) {
  const double square =
      squared_distance(row, x + static_cast<std::size_t>(other) * stride, columns, lane % 8);
  return __shfl_sync(~0u, square, lane % 4 * 8);
}

/// A row in the registers of a warp; rows are `stride` floats apart, zero behind their columns.
template <int kParts>
struct WarpRow {
  float4 part[kParts];
  __device__ static void read(const float* row, int stride, int lane, float4 (&to)[kParts]) {
#pragma unroll
    for (int i = 0; i < kParts; ++i) {
      to[i] = float4{};
      if (i * 128 + lane * 4 < stride) to[i] = *reinterpret_cast<const float4*>(row + i * 128 + lane * 4);
    }
  }
  __device__ void load(const float* row, int stride, int lane) {
    read(row, stride, lane, part);
  }
  __device__ float squared_distance(const float* other, int stride, int lane) const {
    float4 theirs[kParts];
    read(other, stride, lane, theirs);
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kParts; ++i) {
      const float x = part[i].x - theirs[i].x, y = part[i].y - theirs[i].y;
      const float z = part[i].z - theirs[i].z, w = part[i].w - theirs[i].w;
      sum = fmaf(x, x, sum), sum = fmaf(y, y, sum), sum = fmaf(z, z, sum), sum = fmaf(w, w, sum);
    }
    return filter::warp_sum(sum);
  }
  __device__ bool equals(const float* other, int stride, int lane) const {
    float4 theirs[kParts];
    read(other, stride, lane, theirs);
    bool same = true;
#pragma unroll
    for (int i = 0; i < kParts; ++i)
      same &= part[i].x == theirs[i].x && part[i].y == theirs[i].y && part[i].z == theirs[i].z &&
              part[i].w == theirs[i].w;
    return __all_sync(~0u, same);
  }
};

struct Kept {
  std::uint32_t row;
  float squared_distance;
};

/// A neighbour of a row: its row is the user's, so that it can break ties.
struct Near {
  double square;
  std::uint32_t row;
  __device__ bool operator<(const Near& other) const {
    return square != other.square ? square < other.square : row < other.row;
  }
};
constexpr std::uint32_t kNoRow = ~0u;

/// Lane i holds the i-th nearest of the warp's neighbours afterwards, up to `count`; the others hold nothing.
/// `origin`: where it came from.
__device__ __noinline__ Near nearest_first(Near mine, int count, int lane, int& origin) {
  Near result{INFINITY, kNoRow};
  origin = 0;
  for (int place = 0; place < count; ++place) {
    Near least = mine;
    for (int step = 16; step > 0; step /= 2) {
      const Near other{__shfl_xor_sync(~0u, least.square, step), __shfl_xor_sync(~0u, least.row, step)};
      if (other < least) least = other;
    }
    const int owner = __ffs(__ballot_sync(~0u, mine.row == least.row)) - 1;
    if (lane == owner) mine = {INFINITY, kNoRow};
    if (lane == place) result = least, origin = owner;
  }
  return result;
}

/// Rows of a set, `stride` numbers apart.
template <typename T>
struct RowsOf {
  const T* x;
  int rows, columns, stride;
  __device__ const T* row(std::size_t index) const { return x + index * stride; }
};
using Rows = RowsOf<float>;

/// Squared distances in double of the rows that lanes 0 to `count` - 1 hold. Rare, so kept out of the way of
/// the registers of its callers.
__device__ __noinline__ double measure(const Rows& set, int row, std::uint32_t other, int count, int lane) {
  double mine = INFINITY;
  for (int begin = 0; begin < count; begin += 4) {
    const std::uint32_t theirs = __shfl_sync(~0u, other, min(begin + lane / 8, count - 1));
    const double value = four_distances(set.row(row), set.x, set.stride, set.columns, theirs, lane);
    if (lane >= begin && lane < min(begin + 4, count)) mine = value;
  }
  return mine;
}

__device__ inline Near near_of(double square, const std::uint32_t* order, std::uint32_t row, bool is_one) {
  return is_one ? Near{square, order == nullptr ? row : order[row]} : Near{INFINITY, kNoRow};
}

/// Measures the list of every row against its own set, keeps what may be among its k nearest, lowers its
/// reach and empties the list. Where float32 cannot tell which to keep, double does; of equal distances the
/// lower row of the user stays. k equal rows end the search: their radius is 0, and `equal_rows` finds which.
template <int kParts>
__global__ void __launch_bounds__(256, kParts <= 6 ? 3 : 2)
    keep_nearest(Rows set, const std::uint32_t* order, int k, std::uint32_t* counts, const uint2* lists,
                 std::uint32_t capacity, float unit_square, float* reach_squared, Kept* kept,
                 std::uint32_t* kept_counts, unsigned long long* measured) {
  const int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= set.rows) return;
  const std::uint32_t count = counts[row];
  if (count == 0) return;
  WarpRow<kParts> mine;
  mine.load(set.row(row), set.stride, lane);
  float reach = reach_squared[row];
  int held = static_cast<int>(kept_counts[row]);
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
    const bool stays = lane < held && at_least(here.squared_distance) <= reach;
    const std::uint32_t mask = __ballot_sync(~0u, stays);
    held = __popc(mask);
    const int from = __fns(mask, 0, lane + 1);
    here.row = __shfl_sync(~0u, here.row, from & 31);
    here.squared_distance = __shfl_sync(~0u, here.squared_distance, from & 31);
  };
  const auto keep_k = [&] {  // by double
    int origin;
    nearest_first(near_of(measure(set, row, here.row, held, lane), order, here.row, lane < held), k, lane,
                  origin);
    here.row = __shfl_sync(~0u, here.row, origin);
    here.squared_distance = __shfl_sync(~0u, here.squared_distance, origin);
    held = k;
  };
  for (int i = 0; i < held; ++i) take(at_most(__shfl_sync(~0u, here.squared_distance, i)));
  std::uint32_t looked = 0;
  int equal = 0;
  for (std::uint32_t begin = 0; begin < count && reach >= 0; begin += 32) {
    const uint2 entry =
        begin + lane < count ? lists[static_cast<std::size_t>(row) * capacity + begin + lane] : uint2{};
    for (std::uint32_t i = 0; i < min(32u, count - begin); ++i) {
      const std::uint32_t other = __shfl_sync(~0u, entry.x, i);
      const float lower = __uint_as_float(__shfl_sync(~0u, entry.y, i)) * unit_square;
      if (at_least(lower) > reach) continue;
      const float square = mine.squared_distance(set.row(other), set.stride, lane);
      ++looked;
      if (at_least(square) > reach) continue;
      if (square == 0 && mine.equals(set.row(other), set.stride, lane)) ++equal;
      take(at_most(square));
      if (held == kKept) drop_far();
      if (held == kKept) keep_k();
      if (lane == held) here = {other, square};
      ++held;
    }
  }
  drop_far();
  if (equal >= k) reach = -1;
  if (lane < held) kept[static_cast<std::size_t>(row) * kKept + lane] = here;
  if (lane == 0) {
    kept_counts[row] = held;
    reach_squared[row] = reach;
    counts[row] = 0;
    atomicAdd(measured, static_cast<unsigned long long>(looked));
  }
}

/// What is found for a set: squared radii in double, radii[row] to the nearest, radii[rows + row] to the k-th
/// nearest, -1 where there is none; and k neighbours of every row of the user, nearest first.
struct Found {
  double* radii;
  Near* near;            // or null
  std::uint32_t* order;  // the user's row that stands in a row; null: the same
};
__device__ inline void write_nearest(const Found& found, int rows, int row, int k, int place, Near near) {
  if (place == 0) found.radii[row] = near.square;
  if (place == k - 1) found.radii[rows + row] = near.square;
  const std::size_t mine = found.order == nullptr ? row : found.order[row];
  if (found.near != nullptr) found.near[mine * k + place] = near;
}

__global__ void measure_kept(Rows set, int k, const Kept* kept, const std::uint32_t* kept_counts,
                             Found found) {
  const int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= set.rows) return;
  const int count = kept_counts[row];
  const std::uint32_t other = lane < count ? kept[static_cast<std::size_t>(row) * kKept + lane].row : 0;
  int origin;
  const Near near = nearest_first(
      near_of(measure(set, row, other, count, lane), found.order, other, lane < count), k, lane, origin);
  if (k == 0 && lane == 0) found.radii[row] = found.radii[set.rows + row] = -1;
  if (lane < k) write_nearest(found, set.rows, row, k, lane, near);
}

/// Counts of both requests (k = 1, the largest k): [request * rows + row].
struct Counts {
  std::uint32_t* hits;
  std::uint8_t* covered;
};

/// Decides the pairs in the lists of x, closed balls of both sets, and empties the lists. Called for either
/// set.
template <int kParts>
__global__ void __launch_bounds__(256, kParts <= 6 ? 3 : 2)
    count_pairs(Rows x, Rows y, std::uint32_t* counts, const uint2* lists, std::uint32_t capacity,
                const double* x_radii, const double* y_radii, Counts x_counts, Counts y_counts,
                unsigned long long* measured) {
  const int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= x.rows) return;
  const std::uint32_t count = min(counts[row], capacity);
  if (count == 0) return;
  WarpRow<kParts> mine;
  mine.load(x.row(row), x.stride, lane);
  std::uint32_t hits[2] = {}, doubles = 0;
  bool covered[2] = {};
  for (std::uint32_t begin = 0; begin < count; begin += 32) {
    const uint2 entry =
        begin + lane < count ? lists[static_cast<std::size_t>(row) * capacity + begin + lane] : uint2{};
    for (std::uint32_t i = 0; i < min(32u, count - begin); ++i) {
      const std::uint32_t other = __shfl_sync(~0u, entry.x, i);
      const double mine_radius[2] = {x_radii[row], x_radii[x.rows + row]};
      const double their_radius[2] = {y_radii[other], y_radii[y.rows + other]};
      double square = mine.squared_distance(y.row(other), x.stride, lane);
      bool sure = true;
      for (int request = 0; request < 2; ++request) {
        sure &= fabs(square - mine_radius[request]) > kFloatError * square + kTiny;
        sure &= fabs(square - their_radius[request]) > kFloatError * square + kTiny;
      }
      if (!sure) square = squared_distance(x.row(row), y.row(other), x.columns, lane % 8), ++doubles;
      if (lane != 0) continue;
      for (int request = 0; request < 2; ++request) {
        if (square <= mine_radius[request]) {
          ++hits[request];
          y_counts.covered[request * y.rows + other] = 1;
        }
        if (square <= their_radius[request]) {
          atomicAdd(y_counts.hits + request * y.rows + other, 1u);
          covered[request] = true;
        }
      }
    }
  }
  if (lane != 0) return;
  for (int request = 0; request < 2; ++request) {
    x_counts.hits[request * x.rows + row] += hits[request];
    if (covered[request]) x_counts.covered[request * x.rows + row] = 1;
  }
  counts[row] = 0;
  atomicAdd(measured, static_cast<unsigned long long>(count));
  atomicAdd(measured + 1, static_cast<unsigned long long>(doubles));
}

/// squared_distance of several rows to one, which is read once for all of them.
template <int kCount, typename T>
__device__ inline void squared_distances(const T* const (&a)[kCount], const T* b, int begin, int count,
                                         int lane, double (&out)[kCount]) {
  const auto add = [&](int i) {
    const double other = b[i];
#pragma unroll
    for (int row = 0; row < kCount; ++row) {
      const double difference = __dsub_rn(a[row][i], other);
      out[row] = __dadd_rn(out[row], __dmul_rn(difference, difference));
    }
  };
#pragma unroll
  for (double& sum : out) sum = 0;
  const int end = begin + count;
  if (count < 8) {
    for (int i = begin; i < end; ++i) add(i);
    return;
  }
  if (count <= 128) {
    int i = begin;
    for (; i + 8 <= end; i += 8) add(i + lane);  // 0 + x is x
#pragma unroll
    for (int step = 1; step < 8; step *= 2)
#pragma unroll
      for (double& sum : out) sum = __dadd_rn(sum, __shfl_xor_sync(0xffu << (threadIdx.x & 24), sum, step));
    for (; i < end; ++i) add(i);
    return;
  }
  int half = count / 2;
  half -= half % 8;
  double second[kCount];
  squared_distances(a, b, begin, half, lane, out);
  squared_distances(a, b, begin + half, count - half, lane, second);
#pragma unroll
  for (int row = 0; row < kCount; ++row) out[row] = __dadd_rn(out[row], second[row]);
}

/// The plain way, for checks and for rows whose lists are full: all distances of a few rows. Eight lanes a
/// column.
template <typename T>
__global__ void plain_distances(RowsOf<T> x, RowsOf<T> y, const int* sample, int count, double* out) {
  const int other = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
  if (other >= y.rows) return;
  constexpr int kCount = 8;
  for (int begin = 0; begin < count; begin += kCount) {
    const T* rows[kCount];
    double squares[kCount];
#pragma unroll
    for (int i = 0; i < kCount; ++i) rows[i] = x.row(sample[min(begin + i, count - 1)]);
    squared_distances(rows, y.row(other), 0, x.columns, threadIdx.x % 8, squares);
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      if (threadIdx.x % 8 == i && begin + i < count)
        out[static_cast<std::size_t>(begin + i) * y.rows + other] = squares[i];
  }
}

}  // namespace decide
