// Attention over ragged sequences in bf16: a warp per head and 32 queries of a sequence, against 32 keys at a
// time, products by mma.sync, softmax as the keys come. No padding, and the bits of a sequence
// depend on that sequence alone.
#pragma once

#include "bf16_product.cuh"

namespace bf16 {

constexpr int kAttentionWarps = 4, kKeys = 32;
/// An item of work is some queries of a sequence: sequence * kItemParts + part.
constexpr int kItemQueries = 32, kItemParts = 64;

__device__ __forceinline__ void multiply_fragments(float (&d)[4], const std::uint32_t (&a)[4],
                                                   std::uint32_t b0, std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
/// Four matrices of 8 x 8; a lane names a row of matrix lane / 8.
template <bool kTransposed>
__device__ __forceinline__ void load_fragments(std::uint32_t (&to)[4], const void* row) {
  if constexpr (kTransposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}
__device__ inline float power_of_two(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

/// `qkv`: queries, keys and values of a token side by side. `scale`: 1 / sqrt(head width) * log2(e).
template <int kWidth>
__global__ void __launch_bounds__(kAttentionWarps * 32, kWidth == 32 ? 5 : 4)
    attention(const Half* __restrict__ qkv, const int* __restrict__ starts, const int* __restrict__ items,
              const BatchSize* size, int heads, float scale, Half* __restrict__ out) {
  constexpr int kStride = kWidth + 8;  // of a row in shared memory: no two rows of a matrix share banks
  constexpr int kParts = kWidth / 16, kChunks = kWidth / 8, kQueries = 16;
  __shared__ __align__(16) Half memory[kAttentionWarps][(kQueries + 2 * kKeys) * kStride];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, hidden = heads * kWidth;
  const int place = blockIdx.x * kAttentionWarps + warp, head = place % heads;
  if (place / heads >= size->items) return;
  const int item = items[place / heads], sequence = item / kItemParts;
  Half* const queries = memory[warp];
  Half* const keys = queries + kQueries * kStride;
  Half* const values = keys + kKeys * kStride;
  const int begin = starts[sequence], length = starts[sequence + 1] - begin;
  const Half* const tokens = qkv + static_cast<std::size_t>(begin) * 3 * hidden + head * kWidth;
  const auto bring = [&](Half* to, int first, int rows, int field) {
#pragma unroll
    for (int i = lane; i < rows * kChunks; i += 32) {
      const int row = i / kChunks, chunk = i % kChunks, token = first + row;
      copy_sixteen(
          to + row * kStride + chunk * 8,
          tokens + static_cast<std::size_t>(min(token, length - 1)) * 3 * hidden + field * hidden + chunk * 8,
          token < length);
    }
  };
  const int row = lane / 4, pair = lane % 4 * 2;
  const int first_query = item % kItemParts * kItemQueries;
  for (int first = first_query; first < min(length, first_query + kItemQueries); first += kQueries) {
    float sums[kWidth / 8][4] = {}, highest[2] = {-INFINITY, -INFINITY}, total[2] = {};
    bring(queries, first, kQueries, 0);
    for (int key0 = 0; key0 < length; key0 += kKeys) {
      if (first == first_query || length > kKeys) {
        bring(keys, key0, kKeys, 1);
        bring(values, key0, kKeys, 2);
      }
      wait_copies();
      __syncwarp();
      float scores[4][4] = {};  // of eight keys each
#pragma unroll
      for (int part = 0; part < kParts; part += 2) {
        std::uint32_t q[2][4];
#pragma unroll
        for (int i = 0; i < 2; ++i)
          load_fragments<false>(q[i], queries + lane % 16 * kStride + (part + i) * 16 + lane / 16 * 8);
#pragma unroll
        for (int group = 0; group < 4; ++group) {
          std::uint32_t b[4];  // both halves of two parts
          load_fragments<false>(b, keys + (group * 8 + lane % 8) * kStride + part * 16 + lane / 8 * 8);
          multiply_fragments(scores[group], q[0], b[0], b[1]);
          multiply_fragments(scores[group], q[1], b[2], b[3]);
        }
      }
      std::uint32_t weights[2][4];  // of 16 keys, as the left side of the next product
#pragma unroll
      for (int side = 0; side < 2; ++side) {
        float most = highest[side];
#pragma unroll
        for (int group = 0; group < 4; ++group) {
#pragma unroll
          for (int i = 0; i < 2; ++i) {
            float& score = scores[group][2 * side + i];
            score = key0 + group * 8 + pair + i < length ? score * scale : -INFINITY;
            most = fmaxf(most, score);
          }
        }
        most = fmaxf(most, __shfl_xor_sync(~0u, most, 1));
        most = fmaxf(most, __shfl_xor_sync(~0u, most, 2));
        const float shrink = power_of_two(highest[side] - most);
        highest[side] = most;
        total[side] *= shrink;
#pragma unroll
        for (int i = 0; i < kWidth / 8; ++i) {
          sums[i][2 * side] *= shrink;
          sums[i][2 * side + 1] *= shrink;
        }
#pragma unroll
        for (int group = 0; group < 4; ++group) {
          const float x = power_of_two(scores[group][2 * side] - most);
          const float y = power_of_two(scores[group][2 * side + 1] - most);
          total[side] += x + y;
          weights[group / 2][group % 2 * 2 + side] = pack(x, y);
        }
      }
#pragma unroll
      for (int half = 0; half < 2; ++half) {
#pragma unroll
        for (int column = 0; column < kWidth; column += 16) {
          std::uint32_t b[4];
          load_fragments<true>(b, values + (half * 16 + lane % 16) * kStride + column + lane / 16 * 8);
          multiply_fragments(sums[column / 8], weights[half], b[0], b[1]);
          multiply_fragments(sums[column / 8 + 1], weights[half], b[2], b[3]);
        }
      }
      __syncwarp();
    }
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      float all = total[side];
      all += __shfl_xor_sync(~0u, all, 1);
      all += __shfl_xor_sync(~0u, all, 2);
      const float share = 1 / all;
      const int query = first + row + 8 * side;
      Half* const to = out + static_cast<std::size_t>(begin + query) * hidden + head * kWidth;
#pragma unroll
      for (int column = 0; column < kWidth; column += 32) {
        std::uint32_t words[4];
#pragma unroll
        for (int i = 0; i < 4; ++i)
          words[i] = pack(sums[column / 8 + i][2 * side] * share, sums[column / 8 + i][2 * side + 1] * share);
        transpose_quad(words, lane);
        if (query < length)
          *reinterpret_cast<uint4*>(to + column + lane % 4 * 8) =
              make_uint4(words[0], words[1], words[2], words[3]);
      }
    }
  }
}

inline void launch_attention(const Half* qkv, const int* starts, const int* items, const BatchSize* size,
                             int most_items, int heads, int width, Half* out, cudaStream_t stream) {
  const float scale = 1 / sqrtf(static_cast<float>(width)) * 1.44269504f;
  const int blocks = (most_items * heads + kAttentionWarps - 1) / kAttentionWarps;
  const auto kernel = width == 64 ? attention<64> : attention<32>;
  kernel<<<blocks, kAttentionWarps * 32, 0, stream>>>(qkv, starts, items, size, heads, scale, out);
}

}  // namespace bf16
