// Radii of two sets and counts in each other's balls: code, take a first look, sort, then pass over the pairs
// with ever tighter reaches. Everything a plug-in's set engine would do, without its manners.
#pragma once

#include <cmath>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <utility>

#include <cub/device/device_radix_sort.cuh>

#include "equal_rows.cuh"
#include "plain_sets.cuh"
#include "set_head.cuh"

namespace {

// Memory and data.

/// For rows x columns of either set; `look_capacity` notes of a warp, at least 4,096 for each group of
/// 256 rows that it takes.
void allocate(Engine& engine, int rows, int other_rows, int columns, int look_capacity = kLookCapacity) {
  const auto take = [&]<typename T>(T*& to, std::size_t count) {
    to = device<T>(count);
    engine.memory.push_back(to);
  };
  engine.columns = columns;
  engine.first_tiles = std::clamp(rows / 256 / 24, 8, 32);
  engine.look_capacity = look_capacity;
  const double pairs = static_cast<double>(rows) * other_rows;
  const bool worth_heads = pairs >= kWorthHeads && columns >= 768;
  const int heads = engine.always_heads || worth_heads ? std::max(1, columns / 384) * 128 : 0;
  if (heads > 0) {
    Axes& axes = engine.axes;
    axes.count = heads;
    take(axes.axes, static_cast<std::size_t>(heads) * columns);
    take(axes.panels, static_cast<std::size_t>(heads) * ((columns + 127) / 128 * 128));
    take(axes.centred, static_cast<std::size_t>(kHeadChunk) * ((columns + 3) / 4 * 4));
    take(axes.along, static_cast<std::size_t>(kHeadChunk) * heads);
    take(axes.zero, heads);
  }
  for (int s = 0; s < 2; ++s) {
    Set& set = engine.sets[s];
    set = {};
    set.rows = s == 0 ? rows : other_rows;
    set.padded = (set.rows + 255) / 256 * 256;
    set.columns = columns;
    set.stride = (columns + 3) / 4 * 4;
    set.k = std::min(kNearest, set.rows - 1);
    const std::size_t count = set.rows, floats = count * set.stride;
    take(set.x, floats);
    take(set.given, floats);
    const auto take_codes = [&](Coded& coded, int width) {
      coded.columns = width;
      take(coded.codes, static_cast<std::size_t>(set.padded) * width);
      take(coded.facts, set.padded);
      for (int** numbers : {&coded.start, &coded.minus_start, &coded.minus_far}) take(*numbers, set.padded);
      take(coded.tile_middle, set.padded / 256);
      coded.map = hopper::tensor_map(coded.codes, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, width, set.padded, 128);
    };
    take_codes(set.coded, (columns + 127) / 128 * 128);
    if (heads > 0) take_codes(set.head, heads);
    take(set.reach, count);
    take(set.kept, count * decide::kKept);
    take(set.kept_counts, count);
    take(set.order, count);
    take(set.hard, count);
    take(set.device_hard_count, 1);
    take(set.radii, 2 * count);
    if (engine.wants_neighbours) take(set.near, count * std::max(set.k, 1));
    take(set.counts.hits, 2 * count);
    take(set.counts.covered, 2 * count);
  }
  const std::size_t padded = std::max(engine.sets[0].padded, engine.sets[1].padded);
  take(engine.centre, columns);
  engine.sets[1].list_base = engine.sets[0].padded;
  engine.all_lists = engine.sets[0].padded + engine.sets[1].padded;
  take(engine.list_counts, engine.all_lists);
  take(engine.lists, engine.all_lists * kCapacity);
  take(engine.best, padded * 4 * filter::kBest);
  take(engine.numbers, 3);
  take(engine.overflow, 1);
  take(engine.looks, static_cast<std::size_t>(kBlocks) * 8 * look_capacity);
  take(engine.look_counts, kBlocks * 8);
  take(engine.hard_squares, 64 * padded);
}
void release(Engine& engine) {
  for (void* memory : engine.memory) CHECK(cudaFree(memory));
  engine.memory.clear();
}

__global__ void largest(const float* x, std::size_t count, unsigned* most) {
  float mine = 0;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x)
    mine = fmaxf(mine, fabsf(x[i]));
  atomicMax(most, __float_as_uint(mine));  // of numbers that are not negative the order is that of their bits
}
/// Whether the rows keep all bits; with `to`, writes them there.
__global__ void scale_rows(const float* x, std::size_t count, int power, unsigned* inexact, float* to) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i >= count) return;
  const float value = x[i], scaled = scalbnf(value, power);
  if (scalbnf(scaled, -power) != value) *inexact = 1;
  if (to != nullptr) to[i] = scaled;
}
/// Rows of very large or very small numbers are multiplied by a power of two, which float32 squares need and
/// no result notices. Where that would lose bits nothing happens, and plain loops decide all rows.
void bring_into_range(Engine& engine) {
  unsigned* const numbers = device<unsigned>(2);
  for (const Set& set : engine.sets)
    largest<<<1056, 256>>>(set.given, static_cast<std::size_t>(set.rows) * set.stride, numbers);
  const unsigned bits = host(numbers, 1)[0];
  float most;
  std::memcpy(&most, &bits, 4);
  const int exponent = most > 0 ? std::ilogb(most) : 0;
  engine.power = exponent < -20 || exponent > 50 ? 10 - exponent : 0;
  const auto scale = [&](bool write) {
    for (const Set& set : engine.sets) {
      const std::size_t count = static_cast<std::size_t>(set.rows) * set.stride;
      scale_rows<<<blocks_for(count), 256>>>(set.given, count, engine.power, numbers + 1,
                                             write ? set.given : nullptr);
    }
  };
  if (engine.power != 0) scale(false);
  engine.needs_plain_loops = host(numbers, 2)[1] != 0;
  if (engine.needs_plain_loops) engine.power = 0;
  if (engine.power != 0) scale(true);
  CHECK(cudaFree(numbers));
}

// Codes.

void code(const Set& set, const float* x, const double* centre) {
  const Coded& coded = set.coded;
  filter::code_rows<<<blocks_for(set.padded, 4), 128, 4 * coded.columns * 4>>>(
      x, set.rows, set.padded, set.columns, set.stride, coded.columns, centre, coded.space, coded.codes,
      coded.facts);
  filter::set_far<<<blocks_for(set.padded), 256>>>(coded.facts, set.rows, set.padded, coded.space,
                                                   coded.minus_far);
}

/// One scale for both sets, from the middle one of some rows' lengths: a few rows far out do not spoil it.
void code_sets(Engine& engine) {
  constexpr int kSample = 2048;
  const int columns = engine.columns;
  double* const sums = device<double>(columns);
  double rows = 0;
  for (const Set& set : engine.sets) {
    filter::column_sums<<<1056, 256>>>(set.given, set.rows, columns, set.stride, sums);
    rows += set.rows;
  }
  std::vector<double> centre = host(sums, columns);
  for (double& value : centre) value /= rows;
  CHECK(cudaMemcpy(engine.centre, centre.data(), columns * 8, cudaMemcpyHostToDevice));
  CHECK(cudaFree(sums));
  double* const sample = device<double>(2 * kSample);
  for (int s = 0; s < 2; ++s) {
    const Set& set = engine.sets[s];
    filter::sample_squares<<<kSample / 4, 128>>>(set.given, set.rows, columns, set.stride, engine.centre,
                                                 kSample, sample + s * kSample);
  }
  std::vector<double> squares = host(sample, 2 * kSample);
  CHECK(cudaFree(sample));
  std::sort(squares.begin(), squares.end());
  double square = squares[kSample];
  if (square < 1e-20 * squares.back()) square = squares.back();  // most rows are equal
  const double typical = std::max(std::sqrt(square / engine.sets[0].coded.columns), 1e-15);
  for (Set& set : engine.sets) {
    set.coded.space = {static_cast<float>(engine.clip * typical / 127),
                       static_cast<float>(engine.clip / 127 / std::sqrt(12.0) * 1.05), 2e-6f};
    code(set, set.given, engine.centre);
  }
}

// Passes.

/// All of a set against itself.
void make_circle(Work& work, int tiles) {
  work.circle = tiles;
  work.runs = tiles / 2 / filter::kRun + 1;
  work.stride = std::max(1, static_cast<int>(work.runs * 0.618));
  while (std::gcd(work.stride, work.runs) != 1) ++work.stride;
}

__global__ void gather_rows(const float4* from, const std::uint32_t* order, int rows, int width, float4* to) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i < static_cast<std::size_t>(rows) * width)
    to[i] = from[static_cast<std::size_t>(order[i / width]) * width + i % width];
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
  first.minus_start = set.coded.minus_far;
  filter_work<filter::Mode::first_look>(engine, set.coded, set.coded, first);
  engine.looked_at = first.column_end;
  if (engine.after_first_look != nullptr) engine.after_first_look(engine, set);
  float* const reach = device<float>(set.rows);
  filter::first_reaches<<<blocks_for(set.rows), 256>>>(engine.best, set.coded.facts, set.rows,
                                                       set.coded.space, set.k, reach);

  std::uint32_t* const numbers = device<std::uint32_t>(set.rows);
  count_up<<<blocks_for(set.rows), 256>>>(numbers, set.rows);
  std::size_t bytes = 0;
  CHECK(cub::DeviceRadixSort::SortPairs(nullptr, bytes, reach, set.reach, numbers, set.order, set.rows));
  char* const scratch = device<char>(bytes);
  CHECK(cub::DeviceRadixSort::SortPairs(scratch, bytes, reach, set.reach, numbers, set.order, set.rows));
  gather_rows<<<blocks_for(static_cast<std::size_t>(set.rows) * set.stride / 4), 256>>>(
      reinterpret_cast<const float4*>(set.given), set.order, set.rows, set.stride / 4,
      reinterpret_cast<float4*>(set.x));
  code(set, set.x, engine.centre);
  if (engine.use_heads) code_heads(engine, set);
  for (void* memory : {static_cast<void*>(reach), static_cast<void*>(numbers), static_cast<void*>(scratch)})
    CHECK(cudaFree(memory));
}

/// Calls `use` with the number of registers a row of so many columns takes.
template <typename Use>
void with_parts(int stride, Use use) {
  if (stride <= 3 * 128)
    use(std::integral_constant<int, 3>());
  else if (stride <= 6 * 128)
    use(std::integral_constant<int, 6>());
  else
    use(std::integral_constant<int, decide::kMaxColumns / 128>());
}

/// Filters places [begin, end) or fewer of them, and says how many. One of them shows whether heads let few
/// enough pairs through, and how many places their notes have room for.
int filter_places(Engine& engine, const Set& rows, const Set& columns, const Work& shape, int begin,
                  int end) {
  const auto work_of = [&](bool heads, int from, int to) {
    Work work = base_work(engine, rows, columns, heads);
    work.circle = shape.circle, work.runs = shape.runs, work.stride = shape.stride;
    work.group_begin = shape.group_begin, work.group_end = shape.group_end;
    work.column_begin = from, work.column_end = to;
    return work;
  };
  bool heads = engine.always_heads;
  if (engine.use_heads && !heads && end - begin >= kLeastByHeads) {
    const int middle = begin + (end - begin) / 2;
    const Work one = work_of(true, middle, middle + 1);
    const double share = share_of_looks(engine, rows.head, columns.head, one);
    heads = share <= kFewLooks;
    const double room = 0.3 * kBlocks * 8 * engine.look_capacity;
    if (heads && share > 0)
      end = static_cast<int>(std::min<double>(end, begin + std::max(1.0, room / (share * pairs_of(one)))));
  }
  filter_work(engine, heads ? rows.head : rows.coded, heads ? columns.head : columns.coded,
              work_of(heads, begin, end));
  return end - begin;
}

void find_radii(Engine& engine, Set& set) {
  const Coded& coded = set.coded;
  CHECK(cudaMemset(set.kept_counts, 0, set.rows * 4));
  CHECK(cudaMemset(set.device_hard_count, 0, 4));
  set.hard_count = 0;
  const int base = std::exchange(set.list_base, 0);
  set_limits(set);
  Work circle = base_work(engine, set, set, false);
  make_circle(circle, set.padded / 256);
  const int places = circle.runs * filter::kRun;
  int width = std::max(1, engine.first_tiles / 8);
  for (int begin = 0; begin < places && set.k > 0;) {
    const int taken = filter_places(engine, set, set, circle, begin, std::min(begin + width, places));
    if (!lists_hold(engine, set)) {
      width = std::max(1, taken / 2);
      continue;
    }
    hopper::Clock clock;
    with_parts(set.stride, [&](auto parts) {
      decide::keep_nearest<decltype(parts)::value><<<blocks_for(set.rows, 8), 256>>>(
          set.as_rows(), set.order, set.k, engine.list_counts, engine.lists, kCapacity,
          coded.space.scale * coded.space.scale, set.reach, set.kept, set.kept_counts, engine.numbers + 1);
    });
    engine.decide_ms += clock.stop();
    set_limits(set);
    begin += taken;
    width = std::clamp(std::min(begin, 2 * width), 1, kMostTiles);
  }
  hopper::Clock clock;
  decide::measure_kept<<<blocks_for(set.rows, 8), 256>>>(set.as_rows(), set.k, set.kept, set.kept_counts,
                                                         set.found());
  engine.decide_ms += clock.stop();
  hopper::Clock hard_clock;
  for_hard(engine, set, set, [&](const double* squares, const int* hard, int count) {
    hard_nearest<<<count, 256>>>(squares, hard, set.rows, set.k, set.found());
  });
  engine.hard_ms += hard_clock.stop();
  if (engine.wants_neighbours) find_equal_rows(set);
  set.list_base = base;
  engine.hard_rows += set.hard_count;
}

__global__ void radii_as_reaches(const double* radii, int rows, float* reach) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) reach[row] = static_cast<float>(radii[rows + row] * (1 + 1e-6));
}

/// Some groups of the first set against some tiles of the second; in smaller pieces where lists are full.
void count_part(Engine& engine, int group_begin, int group_end, int begin, int end) {
  Set &x = engine.sets[0], &y = engine.sets[1];
  while (begin < end) {
    for (Set* set : {&x, &y}) set_limits(*set);
    Work part{};
    part.group_begin = group_begin, part.group_end = group_end;
    const int tiles = filter_places(engine, x, y, part, begin, std::min(end, begin + 2 * kMostTiles));
    if (!lists_hold(engine, x, true) || !lists_hold(engine, y, true)) {
      if (tiles == 1 && group_end - group_begin == 1)
        std::printf("a tile does not fit its lists\n"), std::exit(1);
      if (tiles >= group_end - group_begin) {
        count_part(engine, group_begin, group_end, begin, begin + tiles / 2);
        count_part(engine, group_begin, group_end, begin + tiles / 2, begin + tiles);
      } else {
        const int middle = group_begin + (group_end - group_begin) / 2;
        count_part(engine, group_begin, middle, begin, begin + tiles);
        count_part(engine, middle, group_end, begin, begin + tiles);
      }
    } else {
      hopper::Clock clock;
      for (int s = 0; s < 2; ++s) {
        const Set &mine = engine.sets[s], &other = engine.sets[1 - s];
        with_parts(mine.stride, [&](auto parts) {
          decide::count_pairs<decltype(parts)::value><<<blocks_for(mine.rows, 8), 256>>>(
              mine.as_rows(), other.as_rows(), engine.list_counts + mine.list_base,
              engine.lists + static_cast<std::size_t>(mine.list_base) * kCapacity, kCapacity, mine.radii,
              other.radii, mine.counts, other.counts, engine.numbers + 1);
        });
      }
      engine.decide_ms += clock.stop();
    }
    begin += tiles;
  }
}

void count_both(Engine& engine) {
  Set &x = engine.sets[0], &y = engine.sets[1];
  for (Set* set : {&x, &y}) {
    radii_as_reaches<<<blocks_for(set->rows), 256>>>(set->radii, set->rows, set->reach);
    CHECK(cudaMemset(set->counts.hits, 0, set->rows * 8));
    CHECK(cudaMemset(set->counts.covered, 0, set->rows * 2));
    CHECK(cudaMemset(set->device_hard_count, 0, 4));
    set->hard_count = 0;
  }
  count_part(engine, 0, x.padded / 256, 0, y.padded / 256);
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

/// Everything, for rows that lie in `given` of either set.
void compare(Engine& engine) {
  engine.filter_ms = engine.filter_operations = engine.decide_ms = engine.hard_ms = engine.look_ms = 0;
  engine.head_pairs = engine.all_pairs = engine.axes_ms = engine.sort_ms = 0;
  engine.redone = engine.hard_rows = 0;
  CHECK(cudaMemset(engine.numbers, 0, 24));
  CHECK(cudaMemset(engine.overflow, 0, 4));
  if (engine.needs_plain_loops) {
    for (Set& set : engine.sets) {
      count_up<<<blocks_for(set.rows), 256>>>(set.order, set.rows);
      CHECK(cudaMemcpy(set.x, set.given, static_cast<std::size_t>(set.rows) * set.stride * 4,
                       cudaMemcpyDeviceToDevice));
    }
    return compare_plainly(engine, engine.sets[0].as_rows(), engine.sets[1].as_rows());
  }
  code_sets(engine);
  engine.use_heads = engine.axes.count > 0;
  if (engine.use_heads) {
    hopper::Clock clock;
    find_axes(engine);
    engine.axes_ms = clock.stop();
  }
  hopper::Clock clock;
  for (Set& set : engine.sets) look_and_sort(engine, set);
  engine.sort_ms = clock.stop();
  for (Set& set : engine.sets) find_radii(engine, set);
  count_both(engine);
}

}  // namespace
