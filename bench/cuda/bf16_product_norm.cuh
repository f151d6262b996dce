// A bf16 product with all that follows it in a layer: out = norm(in * transposed(weights) + bias + residual).
// A pair of blocks owns 128 whole rows of 384 columns, each of them 192 columns; they tell each other the
// mean and the squares of their part of every row. The residual comes through the ring of the product, behind
// its last step. States may be written where the residual was read.
#pragma once

#include "bf16_product.cuh"

namespace bf16 {

/// Four, for 768 columns, were slower: too few such clusters find room on the card.
constexpr int kCluster = 2;

struct NormStages {
  alignas(1024) char rows[kStages][kRowBytes];
  alignas(1024) char columns[kStages][kColumnBytes];
  float2 parts[2][kCluster][kRows];  // of two tiles by turns: mean and squares of 192 columns of a row
  std::uint64_t full[kStages], empty[kStages], parts_full[2];  // the last of either warpgroup
};

struct NormWeights {
  const float *gain, *bias;
  float epsilon;
};

__device__ inline float quad_sum(float value) {
  value += __shfl_xor_sync(~0u, value, 1);
  return value + __shfl_xor_sync(~0u, value, 2);
}

__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(384, 1)
    multiply_norm(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap weights,
                  const __grid_constant__ CUtensorMap residual, const float* __restrict__ bias,
                  NormWeights norm, Half* out, const BatchSize* size, int inputs) {
  constexpr int kHidden = kCluster * kColumns, kRests = kColumns / kDepth, kPiece = kRows / kCluster;
  extern __shared__ __align__(1024) char memory[];
  auto& stages = *reinterpret_cast<NormStages*>(memory);
  const int role = threadIdx.x / 128, tiles = (size->tokens + kRows - 1) / kRows, steps = inputs / kDepth;
  const int clusters = gridDim.x / kCluster;
  const std::uint32_t rank = rank_in_cluster();
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      init_barrier(&stages.full[stage], 1);
      init_barrier(&stages.empty[stage], 2 * kCluster);
    }
    for (std::uint64_t& barrier : stages.parts_full) init_barrier(&barrier, 32 * kCluster);
    publish_barriers();
  }
  __syncthreads();
  sync_cluster();
  if (role == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      int stage = 0;
      std::uint32_t parity = 1;
      for (int tile = blockIdx.x / kCluster; tile < tiles; tile += clusters) {
        for (int step = 0; step < steps + kRests; ++step) {
          wait_barrier(&stages.empty[stage], parity);
          if (step < steps) {
            expect_bytes(&stages.full[stage], kRowBytes + kColumnBytes);
            copy_box_to(stages.rows[stage] + rank * kPiece * kDepth * 2, &in, step * kDepth,
                        tile * kRows + rank * kPiece, &stages.full[stage], (1 << kCluster) - 1);
            copy_box(stages.columns[stage], &weights, step * kDepth, rank * kColumns, &stages.full[stage]);
          } else {
            expect_bytes(&stages.full[stage], kRowBytes);
            copy_box(stages.rows[stage], &residual, rank * kColumns + (step - steps) * kDepth, tile * kRows,
                     &stages.full[stage]);
          }
          if (++stage == kStages) stage = 0, parity ^= 1;
        }
      }
    }
    __syncwarp();
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32, half = role - 1;
    const int local = half * 64 + warp * 16 + lane / 4;  // this row of the tile, and 8 below
    int stage = 0, turn = 0;
    std::uint32_t parity = 0;
    float sums[96];
    const auto release = [&](int which) {
      if (threadIdx.x % 128 == 0)
        for (int block = 0; block < kCluster; ++block) arrive_at(&stages.empty[which], block);
    };
    for (int tile = blockIdx.x / kCluster; tile < tiles; tile += clusters, ++turn) {
      int last = 0;
      for (int step = 0; step < steps; ++step) {
        wait_barrier(&stages.full[stage], parity);
        const std::uint64_t a = tile_descriptor(stages.rows[stage] + half * 64 * kDepth * 2);
        const std::uint64_t b = tile_descriptor(stages.columns[stage]);
        begin_products();
#pragma unroll
        for (int part = 0; part < 4; ++part) multiply_bf16(sums, a + 2 * part, b + 2 * part, step + part);
        commit_products();
        if (step > 0) {
          wait_products<1>();
          release(last);
        }
        last = stage;
        if (++stage == kStages) stage = 0, parity ^= 1;
      }
      wait_products<0>();
      settle(sums);
      release(last);

      float total[2] = {};
#pragma unroll
      for (int rest = 0; rest < kRests; ++rest) {
        wait_barrier(&stages.full[stage], parity);
#pragma unroll
        for (int group = 0; group < 8; ++group) {
          const float2 shift = *reinterpret_cast<const float2*>(bias + rank * kColumns + rest * kDepth +
                                                                group * 8 + 2 * (lane % 4));
#pragma unroll
          for (int side = 0; side < 2; ++side) {  // rows of 128 bytes in the copy engine's swizzle
            const int row = local + 8 * side;
            const float2 before = unpack(*reinterpret_cast<const std::uint32_t*>(
                stages.rows[stage] + row * 128 + ((group ^ (row % 8)) * 16) + 4 * (lane % 4)));
            float& x = sums[4 * (rest * 8 + group) + 2 * side];
            float& y = sums[4 * (rest * 8 + group) + 2 * side + 1];
            x += shift.x + before.x;
            y += shift.y + before.y;
            total[side] += x + y;
          }
        }
        if (half == 0)  // all four warps have read the stage
          asm volatile("bar.sync 1, 128;" ::: "memory");
        else
          asm volatile("bar.sync 2, 128;" ::: "memory");
        release(stage);
        if (++stage == kStages) stage = 0, parity ^= 1;
      }
#pragma unroll
      for (int side = 0; side < 2; ++side) {
        const float mean = quad_sum(total[side]) * (1.0f / kColumns);
        float squares = 0;
#pragma unroll
        for (int i = 0; i < 96; ++i) {
          if (i / 2 % 2 != side) continue;
          const float difference = sums[i] - mean;
          squares = fmaf(difference, difference, squares);
        }
        squares = quad_sum(squares);
        if (lane % 4 < kCluster)
          store_in(&stages.parts[turn % 2][rank][local + 8 * side], lane % 4, {mean, squares});
      }
      if (lane % 4 < kCluster) arrive_with_stores(&stages.parts_full[half], lane % 4);
      wait_cluster_barrier(&stages.parts_full[half], turn % 2);
#pragma unroll
      for (int side = 0; side < 2; ++side) {
        float2 part[kCluster];
        float mean = 0, squares = 0;
#pragma unroll
        for (int block = 0; block < kCluster; ++block) {
          part[block] = stages.parts[turn % 2][block][local + 8 * side];
          mean += part[block].x * (1.0f / kCluster);
        }
#pragma unroll
        for (int block = 0; block < kCluster; ++block)
          squares += fmaf(kColumns * (part[block].x - mean), part[block].x - mean, part[block].y);
        const float factor = rsqrtf(squares * (1.0f / kHidden) + norm.epsilon);
        const std::size_t place =
            static_cast<std::size_t>(tile * kRows + local + 8 * side) * kHidden + rank * kColumns;
#pragma unroll
        for (int group = 0; group < 24; group += 4) {
          std::uint32_t words[4];
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            const int column = rank * kColumns + 8 * (group + i) + 2 * (lane % 4);
            const float2 gain = *reinterpret_cast<const float2*>(norm.gain + column);
            const float2 shift = *reinterpret_cast<const float2*>(norm.bias + column);
            const int at = 4 * (group + i) + 2 * side;
            words[i] = pack(fmaf((sums[at] - mean) * factor, gain.x, shift.x),
                            fmaf((sums[at + 1] - mean) * factor, gain.y, shift.y));
          }
          transpose_quad(words, lane);
          *reinterpret_cast<uint4*>(out + place + 8 * (group + lane % 4)) =
              make_uint4(words[0], words[1], words[2], words[3]);
        }
      }
      __syncwarp();
    }
  }
  sync_cluster();
}

/// `in` in boxes of 64 rows, `weights` in boxes of 192.
inline void launch_multiply_norm(const CUtensorMap& in, const CUtensorMap& weights,
                                 const CUtensorMap& residual, const float* bias, const NormWeights& norm,
                                 Half* out, const BatchSize* size, int inputs, cudaStream_t stream) {
  CHECK(cudaFuncSetAttribute(multiply_norm, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(NormStages)));
  multiply_norm<<<kBlocks, 384, sizeof(NormStages), stream>>>(in, weights, residual, bias, norm, out, size,
                                                              inputs);
}

}  // namespace bf16
