// The int8 filter of docs/background/exactness.md on a Hopper GPU: products of codes on tensor cores decide
// which pairs are worth a look, and each row collects its pairs in a list. set_coding.cuh says what codes and
// limits are.
#pragma once

#include "set_coding.cuh"

namespace filter {

using namespace hopper;

// The filter.

/// What decides whether a pair goes to a list: all columns of both rows, also where the filter's products are
/// of their heads (set_head.cuh).
struct Whole {
  const Fact* row_facts;
  const Fact* column_facts;
  const std::int8_t* row_codes;  // null: the filter's products are the whole ones already
  const std::int8_t* column_codes;
  int columns;
  float error;
};

struct Work {
  int group_begin, group_end;    // groups of 256 rows
  int column_begin, column_end;  // tiles of 256 columns; in a circle places of its walk
  int chunk;                     // tiles of one item of work
  int steps;                     // of 128 columns
  int circle;        // rows and columns are one set of so many tiles, 0 otherwise: every pair of tiles once
  int runs, stride;  // of a circle: see tile_at
  bool first_look;   // only the best values per row, into `best`
  Space space;
  const int* start;        // of rows
  const int* minus_start;  // of columns; in a first look minus_far
  const int* tile_middle;  // of tiles of columns
  const Fact* row_facts;
  const Fact* column_facts;
  Whole whole;
  std::uint32_t* counts;  // pairs in the list of a row, also beyond the capacity
  uint2* lists;           // column and its least squared distance (as float bits)
  std::uint32_t capacity;
  int column_lists;  // between two sets: the list of column 0 comes behind those of the rows
  int* best;         // of every row 4 x kBest values
  int4* looks;       // pairs worth a closer look: row, column, product; so many per warp
  int* look_counts;  // of every warp, also beyond the capacity
  int look_capacity;
};

struct Item {
  int group, begin, end;
};
__device__ inline Item item_of(const Work& work, int index) {
  const int groups = work.group_end - work.group_begin;
  const int begin = work.column_begin + index / groups * work.chunk;
  return {work.group_begin + index % groups, begin, min(begin + work.chunk, work.column_end)};
}
/// In a circle of G tiles group g meets tiles g, g + 1, ..., g + G / 2 (mod G), opposite groups of an even G
/// once. So all rows come along equally fast, and each pass finds tighter reaches. The walk takes runs of 16
/// neighbouring tiles, which blocks side by side share in the L2 cache, and jumps from run to run by a stride
/// prime to their number, so that tiles of any reach come early. -1: no tile at this place.
constexpr int kRun = 16;
__device__ inline int tile_at(const Work& work, int group, int place) {
  if (work.circle == 0) return place;
  const unsigned run = static_cast<unsigned>(place / kRun) * work.stride % work.runs;
  const int offset = static_cast<int>(run) * kRun + place % kRun, half = work.circle / 2;
  if (!work.first_look && (offset > half || (offset == half && work.circle % 2 == 0 && group >= half)))
    return -1;
  return group + offset < work.circle ? group + offset : group + offset - work.circle;
}
__host__ __device__ inline int item_count(const Work& work) {
  return (work.group_end - work.group_begin) *
         ((work.column_end - work.column_begin + work.chunk - 1) / work.chunk);
}

template <int kStages, int kSlots>
struct Ring {  // shared memory behind the tile of rows
  alignas(1024) std::int8_t columns[kStages][kTileColumns * kStepBytes];
  int starts[kSlots][kTileColumns];
  std::uint64_t full[kStages], empty[kStages], rows_full, rows_empty;
};

__device__ inline bool append(const Work& work, int list, int other, float lower) {
  const std::uint32_t place = atomicAdd(work.counts + list, 1u);
  if (place >= work.capacity) return false;
  work.lists[static_cast<std::size_t>(list) * work.capacity + place] =
      make_uint2(other, __float_as_uint(lower));
  return true;
}

/// A pair that the limits of its tiles let through, looked at with its own bounds. In one set it goes to the
/// list of each row it may be near to; between two sets to one list, that of a ball it may be in.
__device__ __forceinline__ void look_closer(const Work& work, int row, int column, int product) {
  const Fact a = work.whole.row_facts[row], b = work.whole.column_facts[column];
  const float lower = least_square(a, b, product, work.whole.error);
  if (work.circle > 0) {
    if (lower <= a.reach) append(work, row, column, lower);
    if (lower <= b.reach) append(work, column, row, lower);
  } else if (!(lower <= a.reach && append(work, row, column, lower)) && lower <= b.reach) {
    append(work, work.column_lists + column, row, lower);
  }
}

/// Whether the bounds of the heads leave the pair in doubt.
__device__ __forceinline__ bool may_be_near(const Work& work, const int4& look) {
  const Fact a = work.row_facts[look.x], b = work.column_facts[look.y];
  return least_square(a, b, look.z, work.space.error) <= fmaxf(a.reach, b.reach);
}
/// Product of the whole codes of a pair; eight lanes work on it, all of them get it.
__device__ __forceinline__ int whole_product(const Whole& whole, int row, int column, int lane) {
  const auto* const a =
      reinterpret_cast<const int4*>(whole.row_codes + static_cast<std::size_t>(row) * whole.columns);
  const auto* const b =
      reinterpret_cast<const int4*>(whole.column_codes + static_cast<std::size_t>(column) * whole.columns);
  int sum = 0;
#pragma unroll 8
  for (int i = lane; i < whole.columns / 16; i += 8) {
    const int4 x = a[i], y = b[i];
    sum = __dp4a(x.x, y.x, __dp4a(x.y, y.y, __dp4a(x.z, y.z, __dp4a(x.w, y.w, sum))));
  }
  for (int step = 1; step < 8; step *= 2) sum += __shfl_xor_sync(0xffu << (threadIdx.x & 24), sum, step);
  return sum;
}

/// A persistent grid of clusters of two blocks. The 128 rows of a block stay in shared memory with all their
/// columns; tiles of 256 columns stream past, each half loaded by one block for both. Two warpgroups own 64
/// rows each and wait for nothing but the ring, so one multiplies while the other looks at its sums.
/// What happens to the products: the filter proper, a first look, or nothing (to time the rest).
enum class Mode { filter, first_look, products };

template <int kStages, int kSlots, Mode kMode>
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(384, 1)
    filter_pairs(const __grid_constant__ CUtensorMap row_map, const __grid_constant__ CUtensorMap column_map,
                 const __grid_constant__ Work work) {
  extern __shared__ __align__(1024) std::int8_t memory[];
  std::int8_t* const rows = memory;
  auto& ring = *reinterpret_cast<Ring<kStages, kSlots>*>(memory + work.steps * kTileRows * kStepBytes);
  const int role = threadIdx.x / 128;  // 0 loads, 1 and 2 multiply
  const std::uint32_t rank = rank_in_cluster();
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      init_barrier(&ring.full[stage], 1);
      init_barrier(&ring.empty[stage], 4);  // two warpgroups of two blocks
    }
    init_barrier(&ring.rows_full, 1);
    init_barrier(&ring.rows_empty, 2);
    publish_barriers();
  }
  __syncthreads();
  sync_cluster();

  const int items = item_count(work), clusters = gridDim.x / 2;
  if (role == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      int stage = 0, slot = 0;
      std::uint32_t parity = 1, row_parity = 1;  // a fresh barrier counts as the end of parity 1
      for (int index = blockIdx.x / 2; index < items; index += clusters) {
        const Item item = item_of(work, index);
        if (item.end <= item.begin) continue;
        wait_barrier(&ring.rows_empty, row_parity);
        row_parity ^= 1;
        expect_bytes(&ring.rows_full, work.steps * kTileRows * kStepBytes);
        for (int step = 0; step < work.steps; ++step)
          copy_box(rows + step * kTileRows * kStepBytes, &row_map, step * kStepBytes,
                   item.group * kGroupRows + rank * kTileRows, &ring.rows_full);
        for (int place = item.begin; place < item.end; ++place) {
          const int tile = tile_at(work, item.group, place);
          if (tile < 0) continue;
          for (int step = 0; step < work.steps; ++step) {
            wait_barrier(&ring.empty[stage], parity);
            const bool last = step + 1 == work.steps;
            expect_bytes(&ring.full[stage], kTileColumns * kStepBytes + (last ? kTileColumns * 4 : 0));
            const int half = rank * (kTileColumns / 2);
            copy_box_to(ring.columns[stage] + half * kStepBytes, &column_map, step * kStepBytes,
                        tile * kTileColumns + half, &ring.full[stage], 3);
            if (last) {
              copy_bytes(ring.starts[slot], work.minus_start + tile * kTileColumns, kTileColumns * 4,
                         &ring.full[stage]);
              slot = slot + 1 == kSlots ? 0 : slot + 1;
            }
            if (++stage == kStages) stage = 0, parity ^= 1;
          }
        }
      }
    }
    __syncwarp();
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32, half = role - 1;
    const bool speaks = threadIdx.x % 128 == 0;
    const auto release = [&](int stage) {
      if (speaks) arrive_at(&ring.empty[stage], 0), arrive_at(&ring.empty[stage], 1);
    };
    int stage = 0, slot = 0, looks = 0;
    const int look_list = blockIdx.x * 8 + half * 4 + warp;
    int4* const my_looks = work.looks + static_cast<std::size_t>(look_list) * work.look_capacity;
    std::uint32_t parity = 0, row_parity = 0;
    int sums[128];
    for (int index = blockIdx.x / 2; index < items; index += clusters) {
      const Item item = item_of(work, index);
      if (item.end <= item.begin) continue;
      const int row =
          item.group * kGroupRows + rank * kTileRows + half * 64 + warp * 16 + lane / 4;  // and row + 8
      const int start0 = work.start[row], start1 = work.start[row + 8];
      const int reach0 = half_of(work.row_facts[row].reach), reach1 = half_of(work.row_facts[row + 8].reach);
      int best0[kBest], best1[kBest];
#pragma unroll
      for (int i = 0; i < kBest; ++i) best0[i] = best1[i] = -(1 << 30);
      wait_barrier(&ring.rows_full, row_parity);
      row_parity ^= 1;
      for (int place = item.begin; place < item.end; ++place) {
        const int tile = tile_at(work, item.group, place);
        if (tile < 0) continue;
        const int middle = work.tile_middle[tile];
        const int limit0 = start0 - max(reach0, middle), limit1 = start1 - max(reach1, middle);
        int last_stage = 0;
        for (int step = 0; step < work.steps; ++step) {
          wait_barrier(&ring.full[stage], parity);
          const std::uint64_t a =
              tile_descriptor(rows + step * kTileRows * kStepBytes + half * 64 * kStepBytes);
          const std::uint64_t b = tile_descriptor(ring.columns[stage]);
          begin_products();
#pragma unroll
          for (int part = 0; part < 4; ++part) multiply_codes(sums, a + 2 * part, b + 2 * part, step + part);
          commit_products();
          if (step > 0) {
            wait_products<1>();
            release(last_stage);
          }
          last_stage = stage;
          if (++stage == kStages) stage = 0, parity ^= 1;
        }
        const int* const tile_starts = ring.starts[slot] + 2 * (lane % 4);
        slot = slot + 1 == kSlots ? 0 : slot + 1;
        wait_products<0>();
        settle(sums);
        release(last_stage);
        if constexpr (kMode == Mode::products) {  // one look that the compiler cannot leave out
          int all = 0;
#pragma unroll
          for (int i = 0; i < 128; i += 16) all |= sums[i];
          if (all == 0x7ffffff1) best0[0] = all;
          continue;
        }
        const int column0 = tile * kTileColumns + 2 * (lane % 4);
        if constexpr (kMode == Mode::first_look) {
          if (tile == item.group) {  // a row is not its own neighbour
#pragma unroll
            for (int i = 0; i < 128; ++i)
              if (column0 + 8 * (i / 4) + i % 2 == row + 8 * (i / 2 % 2)) sums[i] = -kNowhere;
          }
          int most0 = -(1 << 30), most1 = -(1 << 30);
#pragma unroll
          for (int i = 0; i < 32; ++i) {
            const int2 start = *reinterpret_cast<const int2*>(tile_starts + 8 * i);
            most0 = __viaddmax_s32(sums[4 * i], start.x, most0);
            most0 = __viaddmax_s32(sums[4 * i + 1], start.y, most0);
            most1 = __viaddmax_s32(sums[4 * i + 2], start.x, most1);
            most1 = __viaddmax_s32(sums[4 * i + 3], start.y, most1);
          }
          keep_best(best0, most0);
          keep_best(best1, most1);
          continue;
        }
        if constexpr (kMode == Mode::filter) {
          std::uint32_t near = 0;  // a bit for 16 columns in which this thread has a pair to write down
#pragma unroll
          for (int part = 0; part < 16; ++part) {
            const int* const mine = sums + 8 * part;
            const int2 first = *reinterpret_cast<const int2*>(tile_starts + 16 * part);
            const int2 second = *reinterpret_cast<const int2*>(tile_starts + 16 * part + 8);
            int most0 = mine[0] + first.x, most1 = mine[2] + first.x;
            most0 = __viaddmax_s32(mine[1], first.y, most0);
            most1 = __viaddmax_s32(mine[3], first.y, most1);
            most0 = __viaddmax_s32(mine[4], second.x, most0);
            most1 = __viaddmax_s32(mine[6], second.x, most1);
            most0 = __viaddmax_s32(mine[5], second.y, most0);
            most1 = __viaddmax_s32(mine[7], second.y, most1);
            if (most0 >= limit0 || most1 >= limit1) near |= 1u << part;
          }
          near = __reduce_or_sync(~0u, near);
          if (near != 0) {
#pragma unroll
            for (int part = 0; part < 16; ++part) {
              if ((near >> part & 1) == 0) continue;
              const int* const mine = sums + 8 * part;
              int starts[4];  // read again: registers are short
              asm volatile("ld.shared.v2.b32 {%0, %1}, [%4];\nld.shared.v2.b32 {%2, %3}, [%4 + 32];"
                           : "=r"(starts[0]), "=r"(starts[1]), "=r"(starts[2]), "=r"(starts[3])
                           : "r"(shared_address(tile_starts + 16 * part)));
              std::uint32_t mask = 0;
#pragma unroll
              for (int i = 0; i < 8; ++i)
                if (mine[i] + starts[i / 4 * 2 + i % 2] >= (i / 2 % 2 ? limit1 : limit0)) mask |= 1u << i;
              std::uint32_t lanes = __ballot_sync(~0u, mask != 0);
              while (lanes != 0) {
                if (mask != 0) {
                  const int found = __ffs(mask) - 1;
                  mask &= mask - 1;
                  int product = mine[0];
#pragma unroll
                  for (int i = 1; i < 8; ++i)
                    if (i == found) product = mine[i];
                  const int next = looks + __popc(lanes & ((1u << lane) - 1));
                  if (next < work.look_capacity)
                    my_looks[next] = make_int4(row + 8 * (found / 2 % 2),
                                               column0 + 16 * part + 8 * (found / 4) + found % 2, product, 0);
                }
                looks += __popc(lanes);
                lanes = __ballot_sync(~0u, mask != 0);
              }
            }
          }
        }
        __syncwarp();
      }
      if (speaks) arrive(&ring.rows_empty);
      if constexpr (kMode != Mode::filter) {
#pragma unroll
        for (int i = 0; i < kBest; ++i) {
          work.best[(row * 4 + lane % 4) * kBest + i] = best0[i];
          work.best[((row + 8) * 4 + lane % 4) * kBest + i] = best1[i];
        }
      }
    }
    if (kMode == Mode::filter && lane == 0) work.look_counts[look_list] = looks;
  }
  sync_cluster();  // nobody leaves while the other may still write here
}

/// Looks closer at all pairs that the filter wrote down; a block per warp of the filter, with heads eight
/// lanes per pair. `full`: how many warps had more to write than room.
template <bool kHeads>
__global__ void examine_looks(const __grid_constant__ Work work, unsigned long long* pairs, int* full) {
  const int count = work.look_counts[blockIdx.x];
  if (threadIdx.x == 0) {
    atomicAdd(pairs, static_cast<unsigned long long>(count));
    if (count > work.look_capacity) atomicAdd(full, 1);
  }
  constexpr int kLanes = kHeads ? 8 : 1;
  const int4* const looks = work.looks + static_cast<std::size_t>(blockIdx.x) * work.look_capacity;
  const int lane = threadIdx.x % kLanes;
  for (int i = threadIdx.x / kLanes; i < min(count, work.look_capacity); i += blockDim.x / kLanes) {
    const int4 look = looks[i];
    if (work.circle > 0 && look.x / kGroupRows == look.y / kTileColumns && look.x <= look.y)
      continue;  // once, not with itself
    int product = look.z;
    if constexpr (kHeads) {
      if (!may_be_near(work, look)) continue;
      product = whole_product(work.whole, look.x, look.y, lane);
    }
    if (lane == 0) look_closer(work, look.x, look.y, product);
  }
}

}  // namespace filter
