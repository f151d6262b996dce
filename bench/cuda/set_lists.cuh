// Two sets on the device: their memory, the launches of the filter, the lists of pairs, and the rows whose
// lists are too short for them.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

#include "decide_pairs.cuh"

namespace {

using decide::Counts;
using decide::Kept;
using decide::Rows;
using filter::Fact;
using filter::Space;
using filter::Work;

constexpr int kNearest = 5;
constexpr std::uint32_t kCapacity = 2048;
constexpr int kLookCapacity = 1 << 18;  // of a warp: a step of one tile and a million rows
constexpr int kMaxHard = 2048;          // rows of a set that may be decided by plain loops
constexpr double kWorthHeads = 3e10;    // fewer pairs than these are not worth the axes
constexpr double kFewLooks = 1.5e-3;    // of all pairs: more would cost more than heads save
constexpr int kLeastByHeads = 16;       // tiles of a pass
constexpr int kMostTiles = 256;         // of a pass: wider ones fill lists and tighten reaches too late
constexpr int kBlocks = 132;            // of the filter's grid: a multiprocessor each

double seconds() {
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaGetLastError());
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
template <typename T>
T* device(std::size_t count) {
  T* result = nullptr;
  CHECK(cudaMalloc(&result, count * sizeof(T)));
  CHECK(cudaMemset(result, 0, count * sizeof(T)));
  return result;
}
template <typename T>
std::vector<T> host(const T* from, std::size_t count) {
  std::vector<T> result(count);
  CHECK(cudaMemcpy(result.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
  return result;
}
int blocks_for(std::size_t threads, int per_block = 256) {
  return static_cast<int>((threads + per_block - 1) / per_block);
}

// Sets on the device.

struct Coded {
  int columns = 0;
  Space space{};
  std::int8_t* codes = nullptr;
  Fact* facts = nullptr;
  int* start = nullptr;
  int* minus_start = nullptr;
  int* minus_far = nullptr;
  int* tile_middle = nullptr;
  CUtensorMap map;
};
struct Set {
  float* x = nullptr;  // `stride` floats a row, zero behind the columns
  int rows = 0, padded = 0, columns = 0, stride = 0;
  int k = 0;  // the larger: kNearest, or as many neighbours as there are
  Coded coded;
  Coded head;                      // of the rows along some axes: set_head.cuh; no columns: there are none
  float* given = nullptr;          // x in the order of the user
  std::uint32_t* order = nullptr;  // which row of the user stands here
  int list_base = 0;
  float* reach = nullptr;  // squared, an upper bound
  Kept* kept = nullptr;
  std::uint32_t* kept_counts = nullptr;
  double* radii = nullptr;
  decide::Near* near = nullptr;  // k of each row, in the order of the user
  Counts counts{};
  int* hard = nullptr;
  int* device_hard_count = nullptr;
  int hard_count = 0;
  Rows as_rows() const { return {x, rows, columns, stride}; }
  decide::Found found() const { return {radii, near, order}; }
};

/// Axes along which rows spread most, for heads.
struct Axes {
  int count = 0;             // 0: no heads
  float* axes = nullptr;     // count rows of `columns`
  float* panels = nullptr;   // the same as weights of a product
  float* centred = nullptr;  // some rows
  float* along = nullptr;    // the same rows along the axes
  double* zero = nullptr;    // their centre
};

struct Engine {
  int columns;
  double clip = 4.5;               // codes end at so many typical coordinates; a row beyond pays in slack
  int first_tiles = 16;            // of a first look
  bool wants_neighbours = false;   // k of each row, besides radii
  bool needs_plain_loops = false;  // no power of two brings the rows into range
  int power = 0;                   // the rows on the device are those of the user times 2^power
  Set sets[2];
  double* centre;
  std::uint32_t* list_counts;
  uint2* lists;
  int* best;
  unsigned long long* numbers;  // hits of the filter, float32 distances, double distances
  int* overflow;
  double* hard_squares;
  double filter_ms = 0, filter_operations = 0, decide_ms = 0;
  int redone = 0, hard_rows = 0;
  std::size_t all_lists = 0;
  int4* looks = nullptr;
  int* look_counts = nullptr;
  int look_capacity = 0;
  std::vector<void*> memory;  // of one comparison
  double look_ms = 0;
  double hard_ms = 0;
  int looked_at = 0;  // tiles of the last first look
  Axes axes{};
  bool always_heads = false;  // however many pairs they let through
  bool use_heads = false;
  double head_pairs = 0, all_pairs = 0, axes_ms = 0, sort_ms = 0;
  void (*after_first_look)(const Engine&, const Set&) = nullptr;
};

template <int kStages, int kSlots, filter::Mode kMode>
void launch(const Coded& rows, const Coded& columns, const Work& work) {
  const auto kernel = filter::filter_pairs<kStages, kSlots, kMode>;
  const int bytes =
      work.steps * filter::kTileRows * filter::kStepBytes + sizeof(filter::Ring<kStages, kSlots>);
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  kernel<<<kBlocks, 384, bytes>>>(rows.map, columns.map, work);
  CHECK(cudaGetLastError());
}
template <filter::Mode kMode>
void launch(const Coded& rows, const Coded& columns, const Work& work) {
  // Starts of a tile are read after its last stage is free: five stages ahead must not reach its slot.
  if (work.steps <= 2)
    launch<5, 10, kMode>(rows, columns, work);
  else if (work.steps == 3)
    launch<5, 2, kMode>(rows, columns, work);
  else if (work.steps <= 6)
    launch<4, 2, kMode>(rows, columns, work);
  else
    launch<3, 2, kMode>(rows, columns, work);
}
double pairs_of(const Work& work) {
  double places = work.column_end - work.column_begin;
  if (work.circle > 0 && !work.first_look) {
    places = 0;
    for (int place = work.column_begin; place < work.column_end; ++place) {
      const long long run = static_cast<long long>(place / filter::kRun) * work.stride % work.runs;
      const long long offset = run * filter::kRun + place % filter::kRun;
      places += offset < work.circle / 2.0 ? 1 : offset * 2 == work.circle ? 0.5 : 0;
    }
  }
  return places * (work.group_end - work.group_begin) * 256.0 * 256;
}
template <filter::Mode kMode = filter::Mode::filter>
void filter_work(Engine& engine, const Coded& rows, const Coded& columns, const Work& work) {
  hopper::Clock clock;
  launch<kMode>(rows, columns, work);
  engine.filter_ms += clock.stop();
  const double pairs = pairs_of(work);
  engine.filter_operations += pairs * work.steps * 128 * 2;
  if (kMode != filter::Mode::filter) return;
  hopper::Clock look_clock;
  const auto examine =
      work.whole.row_codes == nullptr ? filter::examine_looks<false> : filter::examine_looks<true>;
  examine<<<kBlocks * 8, 512>>>(work, engine.numbers, engine.overflow);
  engine.look_ms += look_clock.stop();
  engine.all_pairs += pairs;
  if (work.whole.row_codes != nullptr) engine.head_pairs += pairs;
}
/// What share of the pairs the filter writes down; they go nowhere.
double share_of_looks(Engine& engine, const Coded& rows, const Coded& columns, const Work& work) {
  hopper::Clock clock;
  launch<filter::Mode::filter>(rows, columns, work);
  double looks = 0;
  for (const int count : host(engine.look_counts, kBlocks * 8)) looks += count;
  const double pairs = pairs_of(work);
  engine.filter_ms += clock.stop();
  engine.filter_operations += pairs * work.steps * 128 * 2;
  return pairs > 0 ? looks / pairs : 1;
}

__global__ void count_up(std::uint32_t* out, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) out[i] = i;
}

/// Rows whose lists are too short for them: plain loops decide them at the end, and they ask for nothing
/// more.
__global__ void mark_hard(std::uint32_t* counts, int rows, std::uint32_t capacity, float* reach, int* hard,
                          int* count) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  if (counts[row] > capacity && reach[row] >= 0) {
    const int place = atomicAdd(count, 1);
    if (place < kMaxHard) hard[place] = row;
  }
}
__global__ void set_hard_aside(const int* hard, int count, bool keep, std::uint32_t* counts, float* reach) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  reach[hard[i]] = -1;
  if (!keep) counts[hard[i]] = 0;
}
/// `keep`: their lists hold pairs for the balls of others. False where too many lists are full: then all are
/// empty again, and fewer pairs at a time will do. A step of one tile always holds.
bool lists_hold(Engine& engine, Set& set, bool keep = false) {
  const int before = set.hard_count;
  std::uint32_t* const counts = engine.list_counts + set.list_base;
  mark_hard<<<blocks_for(set.rows), 256>>>(counts, set.rows, kCapacity, set.reach, set.hard,
                                           set.device_hard_count);
  const int now = host(set.device_hard_count, 1)[0];
  if (now > kMaxHard || host(engine.overflow, 1)[0] > 0) {
    CHECK(cudaMemset(engine.overflow, 0, 4));
    CHECK(cudaMemcpy(set.device_hard_count, &before, 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(engine.list_counts, 0, engine.all_lists * 4));
    ++engine.redone;
    return false;
  }
  set.hard_count = now;
  if (now > 0) set_hard_aside<<<blocks_for(now), 256>>>(set.hard, now, keep, counts, set.reach);
  return true;
}

/// The k nearest of hard rows from all their distances; a block per row.
__global__ void hard_nearest(const double* squares, const int* hard, int rows, int k, decide::Found found) {
  using decide::Near;
  __shared__ Near tops[256 * filter::kBest];
  const int row = hard[blockIdx.x];
  Near top[filter::kBest];
  for (Near& near : top) near = {INFINITY, decide::kNoRow};
  const auto take = [&](Near near) {
#pragma unroll
    for (int i = 0; i < filter::kBest; ++i) {
      const Near before = top[i];
      if (near < before) top[i] = near, near = before;
    }
  };
  for (int other = threadIdx.x; other < rows; other += 256)
    if (other != row)
      take(decide::near_of(squares[static_cast<std::size_t>(blockIdx.x) * rows + other], found.order, other,
                           true));
  for (int i = 0; i < filter::kBest; ++i) tops[threadIdx.x * filter::kBest + i] = top[i];
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = filter::kBest; i < 256 * filter::kBest; ++i) take(tops[i]);
  if (k == 0) found.radii[row] = found.radii[rows + row] = -1;
#pragma unroll
  for (int i = 0; i < filter::kBest; ++i)
    if (i < k) decide::write_nearest(found, rows, row, k, i, top[i]);
}
/// The ball of a hard row; whatever lists said about its hits is written over.
__global__ void hard_counts(const double* squares, const int* hard, int x_rows, int y_rows,
                            const double* x_radii, Counts x_counts, Counts y_counts) {
  __shared__ std::uint32_t hits[2];
  if (threadIdx.x < 2) hits[threadIdx.x] = 0;
  __syncthreads();
  const int row = hard[blockIdx.x];
  for (int request = 0; request < 2; ++request) {
    for (int other = threadIdx.x; other < y_rows; other += blockDim.x) {
      if (squares[static_cast<std::size_t>(blockIdx.x) * y_rows + other] > x_radii[request * x_rows + row])
        continue;
      atomicAdd(&hits[request], 1u);
      y_counts.covered[request * y_rows + other] = 1;
    }
  }
  __syncthreads();
  if (threadIdx.x < 2) x_counts.hits[threadIdx.x * x_rows + row] = hits[threadIdx.x];
}
/// Calls `use(distances, rows, count)` for some hard rows of `set` at a time.
template <typename Use>
void for_hard(Engine& engine, const Set& set, const Set& against, Use use) {
  for (int begin = 0; begin < set.hard_count; begin += 64) {
    const int count = std::min(64, set.hard_count - begin);
    decide::plain_distances<<<blocks_for(static_cast<std::size_t>(against.rows) * 8), 256>>>(
        set.as_rows(), against.as_rows(), set.hard + begin, count, engine.hard_squares);
    use(engine.hard_squares, set.hard + begin, count);
  }
}

void set_limits(const Set& set) {
  for (const Coded* coded : {&set.coded, &set.head})
    if (coded->columns > 0)
      filter::set_limits<<<set.padded / 256, 256>>>(set.reach, set.rows, coded->space, coded->facts,
                                                    coded->start, coded->minus_start, coded->tile_middle);
}

/// `heads`: the products of the filter are those of heads.
Work base_work(Engine& engine, const Set& rows, const Set& columns, bool heads) {
  const Coded &a = heads ? rows.head : rows.coded, &b = heads ? columns.head : columns.coded;
  Work work{};
  work.group_end = rows.padded / 256;
  work.column_end = columns.padded / 256;
  work.chunk = 64;
  work.steps = a.columns / 128;
  work.space = a.space;
  work.start = a.start;
  work.minus_start = b.minus_start;
  work.tile_middle = b.tile_middle;
  work.column_lists = columns.list_base;
  work.row_facts = a.facts;
  work.column_facts = b.facts;
  work.whole = {rows.coded.facts,    columns.coded.facts, heads ? rows.coded.codes : nullptr,
                columns.coded.codes, rows.coded.columns,  rows.coded.space.error};
  work.counts = engine.list_counts;
  work.lists = engine.lists;
  work.capacity = kCapacity;
  work.best = engine.best;
  work.looks = engine.looks;
  work.look_counts = engine.look_counts;
  work.look_capacity = engine.look_capacity;
  return work;
}

}  // namespace
