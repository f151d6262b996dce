// Neighbours of rows with k equals: the search ends there, since the radius is 0, but which of a thousand
// equal rows are the k lowest is found here. Rows are sorted by a hash, so equal rows stand together in the
// order of the user.
#pragma once

#include <cub/device/device_radix_sort.cuh>

#include "set_lists.cuh"

namespace {

/// Of a row, by a warp. -0 equals 0, so both give the same.
__device__ inline std::uint64_t row_hash(const float* row, int columns, int lane) {
  std::uint64_t hash = 0;
  for (int i = lane; i < columns; i += 32) {
    std::uint64_t mixed =
        __float_as_uint(row[i] + 0.0f) + 0x9e3779b97f4a7c15ull * static_cast<std::uint64_t>(i + 1);
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ull;
    hash += mixed ^ (mixed >> 27);
  }
  for (int step = 16; step > 0; step /= 2) hash += __shfl_xor_sync(~0u, hash, step);
  return hash;
}

__global__ void hash_rows(Rows set, std::uint64_t* hashes) {
  const int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= set.rows) return;
  const std::uint64_t hash = row_hash(set.row(row), set.columns, lane);
  if (lane == 0) hashes[row] = hash;
}

/// A warp a row whose k-th distance is 0: walks through the rows with its hash until k others are equal.
__global__ void write_equal_rows(Rows given, int k, decide::Found found, const std::uint64_t* hashes,
                                 const std::uint32_t* sorted) {
  const int lane = threadIdx.x % 32, place = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int rows = given.rows;
  if (place >= rows || found.radii[rows + place] != 0) return;
  const std::uint32_t mine = found.order[place];
  const std::uint64_t hash = row_hash(given.row(mine), given.columns, lane);
  int low = 0, high = rows;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (hashes[middle] < hash) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  int count = 0;
  for (int i = low; i < rows && count < k && hashes[i] == hash; ++i) {
    const std::uint32_t other = sorted[i];
    bool same = other != mine;
    for (int column = lane; column < given.columns && same; column += 32)
      same = given.row(mine)[column] == given.row(other)[column];
    if (!__all_sync(~0u, same)) continue;
    if (lane == 0) found.near[static_cast<std::size_t>(mine) * k + count] = {0, other};
    ++count;
  }
}

void find_equal_rows(const Set& set) {
  if (set.k == 0) return;
  std::uint64_t* const hashes = device<std::uint64_t>(2 * static_cast<std::size_t>(set.rows));
  std::uint32_t* const numbers = device<std::uint32_t>(2 * static_cast<std::size_t>(set.rows));
  const Rows given{set.given, set.rows, set.columns, set.stride};
  hash_rows<<<blocks_for(set.rows, 8), 256>>>(given, hashes);
  count_up<<<blocks_for(set.rows), 256>>>(numbers, set.rows);
  std::size_t bytes = 0;
  const auto sort = [&](void* scratch) {  // stable, so rows with one hash stay in their order
    CHECK(cub::DeviceRadixSort::SortPairs(scratch, bytes, hashes, hashes + set.rows, numbers,
                                          numbers + set.rows, set.rows));
  };
  sort(nullptr);
  char* const scratch = device<char>(bytes);
  sort(scratch);
  write_equal_rows<<<blocks_for(set.rows, 8), 256>>>(given, set.k, set.found(), hashes + set.rows,
                                                     numbers + set.rows);
  for (void* memory : {static_cast<void*>(hashes), static_cast<void*>(numbers), static_cast<void*>(scratch)})
    CHECK(cudaFree(memory));
}

}  // namespace
