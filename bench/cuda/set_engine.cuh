// Radii of two sets and counts in each other's balls: code, take a first look, sort, then pass over the pairs
// with ever tighter reaches. Everything a plug-in's set engine would do, without its manners.
#pragma once

#include <cmath>
#include <numeric>
#include <utility>

#include <cub/device/device_radix_sort.cuh>

#include "set_heads.cuh"
#include "set_lists.cuh"

namespace {

void code(const Set& set, const Coded& coded, const float* x, const double* centre) {
  filter::code_rows<<<blocks_for(set.padded, 4), 128, 4 * coded.columns * 4>>>(
      x, set.rows, set.padded, coded.columns, centre, coded.space, coded.codes, coded.facts);
  filter::set_far<<<blocks_for(set.padded), 256>>>(coded.facts, set.rows, set.padded, coded.space,
                                                   coded.minus_far);
}
Space space_of(const Engine& engine, double typical, double error) {
  return {static_cast<float>(engine.clip * typical / 127),
          static_cast<float>(engine.clip / 127 / std::sqrt(12.0) * 1.05), static_cast<float>(error)};
}

void code_sets(Engine& engine) {
  const int columns = engine.columns;
  double* const sums = device<double>(2 * columns);
  double rows = 0;
  for (Set& set : engine.sets) {
    filter::column_sums<<<1056, 256>>>(set.given, set.rows, columns, sums, sums + columns);
    rows += set.rows;
  }
  std::vector<double> both = host(sums, 2 * columns);
  double variance = 0;
  for (int i = 0; i < columns; ++i) {
    both[i] /= rows;
    variance += both[columns + i] / rows - both[i] * both[i];
  }
  CHECK(cudaMemcpy(engine.centre, both.data(), columns * 8, cudaMemcpyHostToDevice));
  CHECK(cudaFree(sums));
  for (Set& set : engine.sets) {
    set.full.space = space_of(engine, std::sqrt(variance / columns), 1e-6);
    code(set, set.full, set.given, engine.centre);
  }
}

void code_heads(Engine& engine) {
  const int columns = engine.columns;
  const double begin = seconds();
  double* const matrix = device<double>(static_cast<std::size_t>(columns) * columns);
  heads::covariance<<<dim3(columns / 16, columns / 16), dim3(16, 16)>>>(engine.sets[0].x, engine.sets[0].rows,
                                                                        columns, 4096, engine.centre, matrix);
  std::vector<double> axes(static_cast<std::size_t>(columns) * 128);
  for (std::size_t i = 0; i < axes.size(); ++i)
    axes[i] = static_cast<double>(i * 2654435761u % 1000003) / 1000003 - 0.5;
  double* const from = device<double>(axes.size());
  double* const to = device<double>(axes.size());
  for (int turn = 0; turn < 4; ++turn) {
    heads::make_orthonormal(axes, columns);
    CHECK(cudaMemcpy(from, axes.data(), axes.size() * 8, cudaMemcpyHostToDevice));
    heads::multiply_axes<<<columns, 128>>>(matrix, from, columns, to);
    axes = host(to, axes.size());
  }
  heads::make_orthonormal(axes, columns);
  CHECK(cudaMemcpy(from, axes.data(), axes.size() * 8, cudaMemcpyHostToDevice));
  const double middle = seconds();
  CHECK(
      cudaFuncSetAttribute(heads::make_heads, cudaFuncAttributeMaxDynamicSharedMemorySize, columns * 32 * 4));
  double* const rests = device<double>(1);
  heads::make_heads<<<64, 128, columns * 32 * 4>>>(engine.sets[0].x, engine.sets[0].rows, columns,
                                                   engine.centre, from, 0, engine.sets[0].heads, rests);
  const double typical_rest = host(rests, 1)[0] / std::min(engine.sets[0].rows, 64 * 32);
  double square = 0;
  for (Set& set : engine.sets)
    heads::make_heads<<<(set.rows + 31) / 32, 128, columns * 32 * 4>>>(
        set.x, set.rows, columns, engine.centre, from, typical_rest, set.heads, nullptr);
  for (const float value : host(engine.sets[0].heads, std::min(engine.sets[0].rows, 4096) * std::size_t{128}))
    square += static_cast<double>(value) * value;
  for (Set& set : engine.sets) {
    set.head.space = space_of(engine, std::sqrt(square / std::min(engine.sets[0].rows, 4096) / 128), 3e-6);
    code(set, set.head, set.heads, nullptr);
  }
  std::printf("  head: axes %.3f s (host, not tuned), rows turned %.4f s, typical rest %.3f\n",
              middle - begin, seconds() - middle, typical_rest);
  for (double* memory : {matrix, from, to, rests}) CHECK(cudaFree(memory));
}

/// All of a set against itself.
void make_circle(Work& work, int tiles) {
  work.circle = tiles;
  work.runs = tiles / 2 / filter::kRun + 1;
  work.stride = std::max(1, static_cast<int>(work.runs * 0.618));
  while (std::gcd(work.stride, work.runs) != 1) ++work.stride;
}

template <typename T>
__global__ void gather_rows(const T* from, const std::uint32_t* order, int rows, int width, T* to) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i < static_cast<std::size_t>(rows) * width)
    to[i] = from[static_cast<std::size_t>(order[i / width]) * width + i % width];
}
__global__ void count_up(std::uint32_t* out, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) out[i] = i;
}

/// A first look at some tiles gives every row a reach; x then has the rows in the order of their reaches.
void look_and_sort(Engine& engine, Set& set) {
  const int tiles = set.padded / 256;
  Work first = base_work(engine, set, set, false);
  first.circle = tiles;
  first.runs = tiles;  // one neighbour after the other: the user's order is as good as any
  first.stride = 1;
  first.column_end = std::min(tiles, engine.first_tiles);
  first.chunk = first.column_end;
  first.first_look = true;
  first.minus_start = set.full.minus_far;
  filter_work<filter::Mode::first_look>(engine, set.full, set.full, first);
  engine.looked_at = first.column_end;
  if (engine.after_first_look != nullptr) engine.after_first_look(engine, set);
  float* const reach = device<float>(set.rows);
  filter::first_reaches<<<blocks_for(set.rows), 256>>>(engine.best, set.full.facts, set.rows, set.full.space,
                                                       kNearest, reach);

  std::uint32_t* const numbers = device<std::uint32_t>(set.rows);
  count_up<<<blocks_for(set.rows), 256>>>(numbers, set.rows);
  std::size_t bytes = 0;
  CHECK(cub::DeviceRadixSort::SortPairs(nullptr, bytes, reach, set.reach, numbers, set.order, set.rows));
  char* const scratch = device<char>(bytes);
  CHECK(cub::DeviceRadixSort::SortPairs(scratch, bytes, reach, set.reach, numbers, set.order, set.rows));
  gather_rows<<<blocks_for(static_cast<std::size_t>(set.rows) * engine.columns / 4), 256>>>(
      reinterpret_cast<const float4*>(set.given), set.order, set.rows, engine.columns / 4,
      reinterpret_cast<float4*>(set.x));
  code(set, set.full, set.x, engine.centre);
  for (void* memory : {static_cast<void*>(reach), static_cast<void*>(numbers), static_cast<void*>(scratch)})
    CHECK(cudaFree(memory));
}

void find_radii(Engine& engine, Set& set, bool head) {
  const Coded& coded = head ? set.head : set.full;
  const int tiles = set.padded / 256;
  CHECK(cudaMemset(set.kept_counts, 0, set.rows * 4));
  CHECK(cudaMemset(set.device_hard_count, 0, 4));
  set.hard_count = 0;
  const int base = std::exchange(set.list_base, 0);
  set_limits(set, head);
  int end = std::max(1, engine.first_tiles / 8);
  Work work = base_work(engine, set, set, head);
  make_circle(work, tiles);
  for (int begin = 0; begin < work.runs * filter::kRun;) {
    end = std::min(end, work.runs * filter::kRun);
    work.column_begin = begin;
    work.column_end = end;
    filter_work(engine, coded, coded, work);
    if (!lists_hold(engine, set)) {
      end = begin + std::max(1, (end - begin) / 2);
      continue;
    }
    hopper::Clock clock;
    decide::keep_nearest<<<blocks_for(set.rows, 8), 256>>>(
        set.x, set.rows, engine.columns, kNearest, engine.list_counts, engine.lists, kCapacity,
        coded.space.scale * coded.space.scale, full_codes(set, set, head), set.reach, set.kept,
        set.kept_counts, engine.numbers + 1, engine.overflow);
    engine.decide_ms += clock.stop();
    set_limits(set, head);
    begin = end;
    end = 2 * end;
  }
  hopper::Clock clock;
  decide::measure_kept<<<blocks_for(set.rows, 8), 256>>>(set.x, set.rows, engine.columns, kNearest, set.kept,
                                                         set.kept_counts, set.radii);
  engine.decide_ms += clock.stop();
  hopper::Clock hard_clock;
  for_hard(engine, set, set, [&](const double* squares, const int* hard, int count) {
    hard_radii<<<count, 256>>>(squares, hard, set.rows, kNearest, set.radii);
  });
  engine.hard_ms += hard_clock.stop();
  set.list_base = base;
  engine.hard_rows += set.hard_count;
}

__global__ void radii_as_reaches(const double* radii, int rows, float* reach) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) reach[row] = static_cast<float>(radii[rows + row] * (1 + 1e-6));
}

void count_both(Engine& engine, bool head) {
  Set &x = engine.sets[0], &y = engine.sets[1];
  for (Set* set : {&x, &y}) {
    radii_as_reaches<<<blocks_for(set->rows), 256>>>(set->radii, set->rows, set->reach);
    CHECK(cudaMemset(set->counts.hits, 0, set->rows * 8));
    CHECK(cudaMemset(set->counts.covered, 0, set->rows * 2));
    CHECK(cudaMemset(set->device_hard_count, 0, 4));
    set->hard_count = 0;
  }
  for (Set* set : {&x, &y}) set_limits(*set, head);
  const int tiles = y.padded / 256;
  int width = tiles;
  for (int begin = 0; begin < tiles;) {
    const int end = std::min(begin + width, tiles);
    Work work = base_work(engine, x, y, head);
    work.column_begin = begin;
    work.column_end = end;
    filter_work(engine, head ? x.head : x.full, head ? y.head : y.full, work);
    if (!lists_hold(engine, x, true) || !lists_hold(engine, y, true)) {
      width = std::max(1, (end - begin) / 2);
      continue;
    }
    hopper::Clock clock;
    for (int s = 0; s < 2; ++s) {
      const Set &mine = engine.sets[s], &other = engine.sets[1 - s];
      decide::count_pairs<<<blocks_for(mine.rows, 8), 256>>>(
          mine.x, other.x, mine.rows, other.rows, engine.columns, engine.list_counts + mine.list_base,
          engine.lists + static_cast<std::size_t>(mine.list_base) * kCapacity, kCapacity,
          full_codes(mine, other, head), mine.radii, other.radii, mine.counts, other.counts,
          engine.numbers + 1);
    }
    engine.decide_ms += clock.stop();
    begin = end;
  }
  hopper::Clock clock;
  for (int s = 0; s < 2; ++s) {
    const Set &mine = engine.sets[s], &other = engine.sets[1 - s];
    for_hard(engine, mine, other, [&](const double* squares, const int* hard, int count) {
      hard_counts<<<count, 256>>>(squares, hard, mine.rows, other.rows, mine.radii, mine.counts,
                                  other.counts);
    });
    engine.hard_rows += mine.hard_count;
  }
  engine.hard_ms += clock.stop();
}

}  // namespace
