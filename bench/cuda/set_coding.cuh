// Rows as int8 codes with proven bounds (docs/background/exactness.md, steps 1 to 5), and the limits that
// follow for products of codes.
//
// One scale s for all rows, so everything is compared in whole units of s^2. With N = |v|^2, L >= |v| and
// |v'|, S >= |v - v'| (in units of s^2, s, s) and p = k_v . k_w:
//   | |v - w|^2 - (N_v + N_w - 2 p) |  <=  2 (L_v S_w + S_v L_w)  <=  g_v + g_w,   g = rho L^2 + S^2 / rho.
// A tile of columns has a middle reach m. For squared reaches T_v, T_w of either row
//   max(T_v, T_w)  <=  max(T_v, m) + max(T_w - m, 0),
// so a pair within reach of either has p >= start_v - max(T_v, m) / 2 + start_w with
//   start_v = floor((N - g) / 2) - 2 of a row, start_w = floor((N - g - max(T_w - m, 0)) / 2) - 2 of a
//   column:
// one addition and one maximum per pair (`__viaddmax_s32`) find the tiles that hold one. Rows stand in the
// order of their first reach, so that a tile has about one.
#pragma once

#include "hopper.cuh"

namespace filter {

constexpr int kTileRows = 128;     // of a block; a cluster of two has a group of 256
constexpr int kTileColumns = 256;  // of one product
constexpr int kStepBytes = 128;    // columns of a step
constexpr int kGroupRows = 2 * kTileRows;
constexpr int kBest = 5;     // the largest k
constexpr float kSlop = 16;  // units of s^2: roundings of sums of numbers below 2^24

// Starts and half reaches as whole numbers. Products of codes stay below 2^25 (1,024 columns). A start that
// is cut at either end lets a pair through in doubt, whatever the other side has; rows and columns that do
// not exist stay beyond all of it.
constexpr int kLeastStart = -(1 << 28), kMostStart = 1 << 27, kMostReach = 1 << 29, kNowhere = 1 << 30;
constexpr float kAsksNothing = -3e38f;  // the reach of a row that is done

/// One row: squared length, length, slack, squared reach (all in units of the scale).
struct __align__(16) Fact {
  float square, length, slack, reach;
};

struct Space {  // what the bounds need to know of a coded space
  float scale;
  float rho;    // typical slack / length
  float error;  // how far a coded row is from its point besides the slack, relative to its length
};

__host__ __device__ inline float pair_error(const Fact& a, const Fact& b, float error) {
  return 2 * (a.length * b.slack + a.slack * b.length) +
         2 * error * (a.length * a.length + b.length * b.length) + kSlop;
}
/// No pair of these rows is nearer than this, squared.
__device__ inline float least_square(const Fact& a, const Fact& b, int product, float error) {
  return a.square + b.square - 2.0f * product - pair_error(a, b, error);
}
__host__ __device__ inline float row_error(const Fact& f, const Space& space) {
  return (space.rho + 2 * space.error) * f.length * f.length * 1.000001f +
         f.slack * f.slack / space.rho * 1.000001f;
}

// Coding.

/// Sums of the columns; a block takes a slab of rows, a thread a column.
__global__ void column_sums(const float* x, int rows, int columns, int stride, double* sums) {
  const int slab = (rows + gridDim.x - 1) / gridDim.x;
  const int begin = blockIdx.x * slab, end = min(rows, begin + slab);
  for (int column = threadIdx.x; column < columns; column += blockDim.x) {
    double sum = 0;
    for (int row = begin; row < end; ++row) sum += x[static_cast<std::size_t>(row) * stride + column];
    if (begin < end) atomicAdd(sums + column, sum);
  }
}

__device__ inline float sign_of(int column) {  // any fixed signs will do
  unsigned h = column * 0x9e3779b9u + 0x7f4a7c15u;
  h ^= h >> 15;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  return h & 1 ? 1.0f : -1.0f;
}
__device__ inline double warp_sum(double value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}
__device__ inline float warp_sum(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}

/// Squared lengths of some rows seen from the centre; a warp per row of the sample.
__global__ void sample_squares(const float* x, int rows, int columns, int stride, const double* centre,
                               int sample, double* out) {
  const int lane = threadIdx.x % 32, i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (i >= sample) return;
  const float* const row = x + static_cast<std::size_t>(static_cast<long long>(i) * rows / sample) * stride;
  double square = 0;
  for (int column = lane; column < columns; column += 32) {
    const double value = row[column] - centre[column];
    square += value * value;
  }
  square = warp_sum(square);
  if (lane == 0) out[i] = square;
}

/// A warp per row: centre, signs, Walsh-Hadamard blocks, codes. Columns up to `code_columns` are zero before
/// the turn, so a turn mixes them all. Rows beyond `rows` are all zero.
__global__ void code_rows(const float* x, int rows, int padded_rows, int columns, int stride,
                          int code_columns, const double* centre, Space space, std::int8_t* codes,
                          Fact* facts) {
  extern __shared__ float scratch[];
  const int lane = threadIdx.x % 32, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  float* const v = scratch + threadIdx.x / 32 * code_columns;
  if (row >= padded_rows) return;
  std::int8_t* const out = codes + static_cast<std::size_t>(row) * code_columns;
  if (row >= rows) {
    for (int i = lane; i < code_columns; i += 32) out[i] = 0;
    if (lane == 0) facts[row] = {0, 0, 0, 0};
    return;
  }
  for (int i = lane; i < code_columns; i += 32) {
    v[i] = 0;
    if (i < columns)
      v[i] = sign_of(i) * static_cast<float>(x[static_cast<std::size_t>(row) * stride + i] - centre[i]);
  }
  __syncwarp();
  for (int begin = 0; begin < code_columns;) {
    const int size = 1 << (31 - __clz(code_columns - begin));
    for (int half = 1; half < size; half *= 2) {
      for (int i = lane; i < size / 2; i += 32) {
        const int low = begin + i / half * 2 * half + i % half;
        const float a = v[low], b = v[low + half];
        v[low] = a + b;
        v[low + half] = a - b;
      }
      __syncwarp();
    }
    const float shrink = 1 / sqrtf(static_cast<float>(size));
    for (int i = lane; i < size; i += 32) v[begin + i] *= shrink;
    __syncwarp();
    begin += size;
  }
  double square = 0, lost = 0, coded = 0;
  for (int i = lane; i < code_columns; i += 32) {
    const float value = v[i];
    const int code = static_cast<int>(rintf(fmaxf(-127.0f, fminf(127.0f, value / space.scale))));
    out[i] = static_cast<std::int8_t>(code);
    const double left = value - static_cast<double>(space.scale) * code;
    square += static_cast<double>(value) * value;
    lost += left * left;
    coded += code * code;
  }
  square = warp_sum(square), lost = warp_sum(lost), coded = warp_sum(coded);
  if (lane == 0) {
    const double scale = space.scale, units = square / (scale * scale);
    const float length = static_cast<float>(sqrt(fmax(units, coded)) * (1 + 1e-6));
    facts[row] = {static_cast<float>(units), length,
                  static_cast<float>(sqrt(lost) / scale * (1 + 1e-6)) + space.error * length, 0};
  }
}

// Limits.

__device__ inline int start_of(const Fact& fact, const Space& space, float excess) {
  const double start =
      floor((static_cast<double>(fact.square) - row_error(fact, space) - excess - kSlop) / 2) - 2;
  return static_cast<int>(
      fmin(fmax(start, static_cast<double>(kLeastStart)), static_cast<double>(kMostStart)));
}
/// Half a squared reach, rounded up.
__device__ inline int half_of(float reach) {
  return static_cast<int>(
      fminf(fmaxf(ceilf(reach / 2) + 1, -static_cast<float>(kMostReach)), static_cast<float>(kMostReach)));
}
/// Squared reaches in units of the scale, the middle one of each tile, and where rows and columns start; a
/// block per tile. A negative reach asks for nothing.
__global__ void set_limits(const float* reach_squared, int rows, Space space, Fact* facts, int* start,
                           int* minus_start, int* tile_middle) {
  __shared__ float sum;
  __shared__ int asking;
  if (threadIdx.x == 0) sum = 0, asking = 0;
  __syncthreads();
  const int row = blockIdx.x * kTileColumns + threadIdx.x;
  float reach = kAsksNothing;
  if (row < rows) {
    if (reach_squared[row] >= 0)
      reach = fminf(reach_squared[row] / (space.scale * space.scale) * 1.000002f + 1, 3e38f);
    facts[row].reach = reach;
    if (reach >= 0) {
      atomicAdd(&sum, fminf(reach, 4.0f * kMostReach));
      atomicAdd(&asking, 1);
    }
  }
  __syncthreads();
  const float middle = asking > 0 ? sum / static_cast<float>(asking) : kAsksNothing;
  start[row] = row < rows ? start_of(facts[row], space, 0) : kNowhere;
  minus_start[row] = row < rows
                         ? -start_of(facts[row], space, reach >= 0 ? fmaxf(reach - middle, 0) * 1.000001f : 0)
                         : -kNowhere;
  if (threadIdx.x == 0) tile_middle[blockIdx.x] = half_of(middle);
}
/// For the first look: d^2 / 2 <= (N_i + g_i) / 2 - (p + minus_far_j). A row too far out gives no reach.
__global__ void set_far(const Fact* facts, int rows, int padded_rows, Space space, int* minus_far) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= padded_rows) return;
  const double far =
      ceil((static_cast<double>(facts[row].square) + row_error(facts[row], space) + kSlop) / 2) + 1;
  minus_far[row] = row >= rows || far > kMostStart ? -kNowhere : -static_cast<int>(far);
}

__device__ inline void keep_best(int (&best)[kBest], int value) {
#pragma unroll
  for (int i = 0; i < kBest; ++i) {
    const int larger = max(best[i], value);
    value = min(best[i], value);
    best[i] = larger;
  }
}

/// Squared reaches from a first look: the k-th best of all values of a row.
__global__ void first_reaches(const int* best, const Fact* facts, int rows, Space space, int k,
                              float* reach_squared) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int top[kBest];
  for (int i = 0; i < kBest; ++i) top[i] = -kNowhere;
  for (int i = 0; i < 4 * kBest; ++i) keep_best(top, best[row * 4 * kBest + i]);
  const float units = facts[row].square + row_error(facts[row], space) - 2.0f * top[max(k, 1) - 1] + kSlop;
  const bool known = k > 0 && top[k - 1] > -kNowhere / 2;
  reach_squared[row] = known ? units * space.scale * space.scale * 1.000002f : 3e38f;
}

}  // namespace filter
