// Softmax attention with the CPU's bits: scores, powers and weighted sums are chains in the order of
// compute/cpu/attention_kernel.cpp, for any width of a head up to 256, with a bias by distance (MPNet),
// disentangled terms (DeBERTa) or a reach (ModernBERT).
//
// A warp takes a head and 32 queries of a sequence. `attend_tiles` is for what large models have most: heads
// of 32 or 64 numbers and no terms but a bias. Queries, keys and values come through shared memory in tiles
// of 32 rows, and a lane has a small block of results, so that a number read serves several products.
// `attend` takes everything: a lane a query, all lanes look at the same key, and a sequence too long for the
// scores in shared memory gets them twice.
#pragma once

#include <cstdint>

#include "encoder_math.cuh"
#include "f32_types.cuh"

namespace f32 {

struct Attention {
  const float *query, *key, *value;
  float* out;
  std::size_t query_stride, key_stride, value_stride, out_stride;
  const QueryChunk* chunks;
  int count, heads, width;
  int kept;  // keys whose scores fit into a warp's part of shared memory
  float scale;
  Rows<const float> bias;  // of a head and key - query + columns / 2; no data: none
  Rows<const float> position_key, position_query;
  const int* bucket;  // of query - key; null: none
  int reach;          // -1: the whole sequence
};

/// Floats from one key's scores to the next: sixteen bytes of four keys x eight queries lie in 32 banks.
constexpr int kScoreStride = 40;
template <int kWidth>
constexpr int kTileFloats = 32 * (kWidth + 4);  // 32 rows; eight rows begin at different banks

/// Rows [first, first + 32) of a sequence's head; behind its end the last one again.
template <int kWidth>
__device__ __forceinline__ void load_tile(const float* from, std::size_t stride, int first, int length,
                                          float* tile) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < kWidth / 4; ++i) {
    const int row = (i * 32 + lane) / (kWidth / 4), column = lane % (kWidth / 4) * 4;
    *reinterpret_cast<float4*>(tile + row * (kWidth + 4) + column) =
        *reinterpret_cast<const float4*>(from + min(first + row, length - 1) * stride + column);
  }
}

template <int kWidth>
__global__ void __launch_bounds__(64) attend_tiles(const Attention a) {
  extern __shared__ __align__(16) float memory[];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, down = lane % 8, across = lane / 8;
  const int item = blockIdx.x * (blockDim.x / 32) + warp;
  if (item >= a.count * a.heads) return;
  const QueryChunk chunk = a.chunks[item / a.heads];
  const int head = item % a.heads, column = head * kWidth, length = chunk.length;
  float* const queries = memory + warp * (2 * kTileFloats<kWidth> + a.kept * kScoreStride);
  float* const others = queries + kTileFloats<kWidth>;  // keys, then values
  float* const scores = others + kTileFloats<kWidth>;   // of key and query
  constexpr int kStride = kWidth + 4;

  // A lane has queries down + 8 i and keys across + 4 j.
  load_tile<kWidth>(a.query + chunk.begin * a.query_stride + column, a.query_stride, chunk.first, length,
                    queries);
  for (int first_key = 0; first_key < length; first_key += 32) {
    __syncwarp();
    load_tile<kWidth>(a.key + chunk.begin * a.key_stride + column, a.key_stride, first_key, length, others);
    __syncwarp();
    float sums[4][8] = {};
#pragma unroll 4
    for (int at = 0; at < kWidth; at += 4) {
      float4 q[4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        q[i] = *reinterpret_cast<const float4*>(queries + (down + 8 * i) * kStride + at);
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const float4 k = *reinterpret_cast<const float4*>(others + (across + 4 * j) * kStride + at);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          sums[i][j] = fmaf(q[i].x, k.x, sums[i][j]);
          sums[i][j] = fmaf(q[i].y, k.y, sums[i][j]);
          sums[i][j] = fmaf(q[i].z, k.z, sums[i][j]);
          sums[i][j] = fmaf(q[i].w, k.w, sums[i][j]);
        }
      }
    }
#pragma unroll
    for (int j = 0; j < 8; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        scores[(first_key + across + 4 * j) * kScoreStride + down + 8 * i] = sums[i][j] * a.scale;
  }
  __syncwarp();

  // A lane has a query.
  const int query = min(chunk.first + lane, length - 1);
  const auto score_of = [&](int key) {
    const float score = scores[key * kScoreStride + lane];
    return a.bias.data == nullptr ? score : score + a.bias.row(head)[a.bias.columns / 2 + key - query];
  };
  float highest = -INFINITY;
#pragma unroll 4
  for (int key = 0; key < length; ++key) highest = fmaxf(highest, score_of(key));
  float powers[16] = {};
  for (int key = 0; key < length; key += 16) {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      if (key + i >= length) continue;
      const float power = encoder::exponential(score_of(key + i) - highest);
      scores[(key + i) * kScoreStride + lane] = power;
      powers[i] += power;
    }
  }
  const float my_share = 1.0f / encoder::total(powers);

  // A lane has queries 4 down + i and columns 4 across + 16 n.
  float out[4][kWidth / 4] = {};
  for (int first_key = 0; first_key < length; first_key += 32) {
    __syncwarp();
    load_tile<kWidth>(a.value + chunk.begin * a.value_stride + column, a.value_stride, first_key, length,
                      others);
    __syncwarp();
    const int keys = min(32, length - first_key);
#pragma unroll 4
    for (int key = 0; key < keys; ++key) {
      const float4 power =
          *reinterpret_cast<const float4*>(scores + (first_key + key) * kScoreStride + down * 4);
#pragma unroll
      for (int n = 0; n < kWidth / 16; ++n) {
        const float4 value = *reinterpret_cast<const float4*>(others + key * kStride + across * 4 + 16 * n);
        const float p[4] = {power.x, power.y, power.z, power.w}, v[4] = {value.x, value.y, value.z, value.w};
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
          for (int j = 0; j < 4; ++j) out[i][4 * n + j] = fmaf(p[i], v[j], out[i][4 * n + j]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float share = __shfl_sync(~0u, my_share, down * 4 + i);
    const int row = chunk.first + down * 4 + i;
    if (row >= length) continue;
    float* const to = a.out + (chunk.begin + row) * a.out_stride + column + across * 4;
#pragma unroll
    for (int n = 0; n < kWidth / 16; ++n)
      *reinterpret_cast<float4*>(to + 16 * n) =
          make_float4(out[i][4 * n] * share, out[i][4 * n + 1] * share, out[i][4 * n + 2] * share,
                      out[i][4 * n + 3] * share);
  }
}

/// A row of a head in registers. kExact: it has kWidth numbers and starts at a multiple of 16 bytes. Other
/// widths, which no large model has, are kept in memory of the thread.
template <int kWidth, bool kExact>
__device__ __forceinline__ void load_row(const float* from, int width, float (&to)[kWidth]) {
#pragma unroll(kExact ? kWidth / 4 : 1)
  for (int i = 0; i < kWidth; i += 4) {
    if constexpr (kExact) {
      *reinterpret_cast<float4*>(to + i) = *reinterpret_cast<const float4*>(from + i);
    } else {
#pragma unroll
      for (int j = i; j < i + 4; ++j) to[j] = j < width ? from[j] : 0;
    }
  }
}

/// sums[r] = the chain of row * rows[r], over the width in order.
template <int kWidth, bool kExact, int kRows>
__device__ __forceinline__ void dot_rows(const float (&row)[kWidth], const float* const (&rows)[kRows],
                                         int width, float (&sums)[kRows]) {
#pragma unroll
  for (int r = 0; r < kRows; ++r) sums[r] = 0;
#pragma unroll(kExact ? kWidth / 4 : 1)
  for (int i = 0; i < kWidth; i += 4) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      if constexpr (kExact) {
        const float4 other = *reinterpret_cast<const float4*>(rows[r] + i);
        sums[r] = fmaf(row[i], other.x, sums[r]);
        sums[r] = fmaf(row[i + 1], other.y, sums[r]);
        sums[r] = fmaf(row[i + 2], other.z, sums[r]);
        sums[r] = fmaf(row[i + 3], other.w, sums[r]);
      } else {
#pragma unroll
        for (int j = i; j < i + 4; ++j)
          if (j < width) sums[r] = fmaf(row[j], rows[r][j], sums[r]);
      }
    }
  }
}

/// The keys a query may look at, as the CPU cuts them for a block of four queries: from a multiple of sixteen
/// on, so that every key has its own running sum.
struct Window {
  int begin, end;
};
__device__ __forceinline__ Window window_of(int query, int length, int reach) {
  if (reach < 0 || reach >= length) return {0, length};
  const int block = query / 4 * 4, count = min(4, length - block);
  return {block > reach ? (block - reach) / 16 * 16 : 0, min(length, block + count + reach)};
}

/// kTerms: looks for bias, disentangled terms and reach. kKeep: scores wait in shared memory.
template <int kWidth, bool kExact, bool kTerms, bool kKeep>
__global__ void __launch_bounds__(128) attend(const Attention a) {
  extern __shared__ float memory[];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int item = blockIdx.x * (blockDim.x / 32) + warp;
  if (item >= a.count * a.heads) return;
  const QueryChunk chunk = a.chunks[item / a.heads];
  const int head = item % a.heads, column = head * a.width, length = chunk.length;
  const bool is_query = chunk.first + lane < length;
  const int query = min(chunk.first + lane, length - 1);
  const float* const keys = a.key + chunk.begin * a.key_stride + column;
  const float* const values = a.value + chunk.begin * a.value_stride + column;
  float* const scores = memory + static_cast<std::size_t>(warp) * a.kept * 32 + lane;

  Window mine{0, length}, all{0, length};
  if constexpr (kTerms) {
    mine = window_of(query, length, a.reach);
    all = {window_of(chunk.first, length, a.reach).begin,
           window_of(min(chunk.first + 31, length - 1), length, a.reach).end};
  }
  const auto key_row = [&](int key) { return keys + min(key, length - 1) * a.key_stride; };

  float q[kWidth];
  load_row<kWidth, kExact>(a.query + (chunk.begin + query) * a.query_stride + column, a.width, q);
  // Scores of four keys, before the disentangled terms.
  const auto scores_of = [&](int key, float(&score)[4]) {
    const float* const rows[4] = {key_row(key), key_row(key + 1), key_row(key + 2), key_row(key + 3)};
    dot_rows<kWidth, kExact>(q, rows, a.width, score);
#pragma unroll
    for (int i = 0; i < 4; ++i) score[i] = score[i] * a.scale;
  };
  const auto add_bias_and_hide = [&](int key, float score) {
    if constexpr (kTerms) {
      if (a.bias.data != nullptr) score += a.bias.row(head)[a.bias.columns / 2 + key - query];
      if (a.reach >= 0 && (key > query + a.reach || key + a.reach < query)) score = -INFINITY;
    }
    return score;
  };

  float highest = -INFINITY;
  for (int key = all.begin; key < all.end; key += 4) {
    float score[4];
    scores_of(key, score);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (key + i >= all.end) continue;
      if constexpr (!kTerms || !kKeep) score[i] = add_bias_and_hide(key + i, score[i]);
      if constexpr (kKeep) scores[(key + i - all.begin) * 32] = score[i];
      highest = fmaxf(highest, score[i]);
    }
  }
  if constexpr (kTerms && kKeep) {
    if (a.bucket != nullptr) {  // then the window is the whole sequence
      if (a.position_key.data != nullptr) {
        // All lanes take one distance at a time, so one row of positions.
        for (int distance = chunk.first - (length - 1); distance < chunk.first + 32; ++distance) {
          const int safe = min(max(distance, 1 - length), length - 1), key = query - distance;
          const float* const row[1] = {a.position_key.row(a.bucket[safe]) + column};
          float score[1];
          dot_rows<kWidth, kExact>(q, row, a.width, score);
          if (is_query && key >= 0 && key < length) scores[key * 32] += score[0] * a.scale;
        }
      }
      if (a.position_query.data != nullptr) {
        // Likewise, but a lane is a key now, and writes into the scores of another lane's query.
        for (int first_key = 0; first_key < length; first_key += 32) {
          const int key = first_key + lane;
          load_row<kWidth, kExact>(key_row(key), a.width, q);
          for (int distance = chunk.first - first_key - 31; distance < chunk.first + 32 - first_key;
               ++distance) {
            const int safe = min(max(distance, 1 - length), length - 1), other = key + distance - chunk.first;
            const float* const row[1] = {a.position_query.row(a.bucket[safe]) + column};
            float score[1];
            dot_rows<kWidth, kExact>(q, row, a.width, score);
            __syncwarp();
            if (key < length && other >= 0 && other < 32 && other + chunk.first < length)
              scores[key * 32 + other - lane] += score[0] * a.scale;
          }
        }
      }
      __syncwarp();
    }
    highest = -INFINITY;
    for (int key = all.begin; key < all.end; ++key) {
      const float score = add_bias_and_hide(key, scores[(key - all.begin) * 32]);
      scores[(key - all.begin) * 32] = score;
      highest = fmaxf(highest, score);
    }
  }

  float sums[16] = {}, out[kWidth] = {};
  for (int key = all.begin; key < all.end; key += 16) {
#pragma unroll
    for (int four = 0; four < 16; four += 4) {
      if (key + four >= all.end) continue;
      float score[4];
      if constexpr (!kKeep) scores_of(key + four, score);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int at = key + four + i;
        if (at >= all.end) continue;
        if constexpr (kKeep) {
          score[i] = scores[(at - all.begin) * 32];
        } else {
          score[i] = add_bias_and_hide(at, score[i]);
        }
        if (kTerms && (at < mine.begin || at >= mine.end)) continue;
        const float power = encoder::exponential(score[i] - highest);
        sums[four + i] += power;
        const float* const value = values + at * a.value_stride;
#pragma unroll(kExact ? kWidth / 4 : 1)
        for (int j = 0; j < kWidth; j += 4) {
          if constexpr (kExact) {
            const float4 v = *reinterpret_cast<const float4*>(value + j);
            out[j] = fmaf(power, v.x, out[j]);
            out[j + 1] = fmaf(power, v.y, out[j + 1]);
            out[j + 2] = fmaf(power, v.z, out[j + 2]);
            out[j + 3] = fmaf(power, v.w, out[j + 3]);
          } else {
#pragma unroll
            for (int n = j; n < j + 4; ++n)
              if (n < a.width) out[n] = fmaf(power, value[n], out[n]);
          }
        }
      }
    }
  }
  const float share = 1.0f / encoder::total(sums);
  if (!is_query) return;
  float* const to = a.out + (chunk.begin + query) * a.out_stride + column;
#pragma unroll(kExact ? kWidth / 4 : 1)
  for (int i = 0; i < kWidth; i += 4) {
    if constexpr (kExact) {
      *reinterpret_cast<float4*>(to + i) =
          make_float4(out[i] * share, out[i + 1] * share, out[i + 2] * share, out[i + 3] * share);
    } else {
#pragma unroll
      for (int j = i; j < i + 4; ++j)
        if (j < a.width) to[j] = out[j] * share;
    }
  }
}

}  // namespace f32
