// Softmax attention with the CPU's bits: scores, powers and weighted sums are chains in the order of
// compute/cpu/attention_kernel.cpp, for any width of a head up to 256, with a bias by distance (MPNet),
// disentangled terms (DeBERTa) or a reach (ModernBERT).
//
// A warp takes a head and 32 queries of a sequence, a lane a query. All lanes look at the same key, so keys
// and values come from memory by one address. Scores wait in shared memory, 128 bytes a key; a sequence too
// long for that gets its scores twice.
#pragma once

#include <cstdint>

#include "encoder_math.cuh"
#include "f32_rows.cuh"

namespace f32 {

/// Thirty-two queries of a sequence, or fewer at its end.
struct QueryChunk {
  int begin, length;  // of the sequence
  int first;          // query, counted from `begin`
};

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
  const auto scores_of = [&](int key, float (&score)[4]) {
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
          for (int distance = chunk.first - first_key - 31; distance < chunk.first + 32 - first_key; ++distance) {
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
