// A bf16 product of activations and weights on a Hopper GPU: out = finish(in * transposed(weights) + bias),
// wgmma from tiles that the copy engine brings, rows written as bf16. The bits of a row depend on that row
// alone: every element is one sum over the inputs in one order, wherever its tile lies.
#pragma once

#include <cuda_bf16.h>

#include "hopper.cuh"

namespace bf16 {

using namespace hopper;
using Half = __nv_bfloat16;

constexpr int kBlocks = 132;  // of persistent grids: a multiprocessor each

/// How much of a batch there is, in the device's memory, so that one graph of launches serves any batch.
struct BatchSize {
  int tokens, sequences, items, unused;  // items: of attention
};
/// Rows of whole pairs of tiles.
__device__ inline int padded_rows(const BatchSize* size) {
  return (size->tokens + 255) / 256 * 256;
}

/// x Phi(x) with tanh of the hardware: within 1e-3, as bf16 rounds it away.
__device__ inline float gelu(float x) {
  float t;
  asm("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(x * fmaf(0.0356774081f, x * x, 0.797884561f)));
  return 0.5f * x * (1 + t);
}
__device__ inline std::uint32_t pack(float a, float b) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(a, b);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}
__device__ inline float2 unpack(std::uint32_t word) {
  return {__uint_as_float(word << 16), __uint_as_float(word & 0xffff0000u)};
}
/// Four lanes side by side hold four words each: lane q gets word q of all of them.
__device__ inline void transpose_quad(std::uint32_t (&w)[4], int lane) {
  const bool odd = lane & 1, high = lane & 2;
  std::uint32_t a = __shfl_xor_sync(~0u, odd ? w[0] : w[1], 1),
                b = __shfl_xor_sync(~0u, odd ? w[2] : w[3], 1);
  if (odd)
    w[0] = a, w[2] = b;
  else
    w[1] = a, w[3] = b;
  a = __shfl_xor_sync(~0u, high ? w[0] : w[2], 2), b = __shfl_xor_sync(~0u, high ? w[1] : w[3], 2);
  if (high)
    w[0] = a, w[1] = b;
  else
    w[2] = a, w[3] = b;
}

constexpr int kRows = 128, kColumns = 192, kDepth = 64,
              kStages = 5;  // 192 divides every width of both models
constexpr int kRowBytes = kRows * kDepth * 2, kColumnBytes = kColumns * kDepth * 2;

struct ProductStages {
  alignas(1024) char rows[kStages][kRowBytes];
  alignas(1024) char columns[kStages][kColumnBytes];
  std::uint64_t full[kStages], empty[kStages];
};

/// A persistent grid of clusters of two blocks that share the tile of weights; two warpgroups of 64 rows each
/// go their own way, so one writes while the other multiplies.
template <bool kGelu>
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(384, 1)
    multiply(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap weights,
             const float* __restrict__ bias, Half* __restrict__ out, const BatchSize* size, int inputs,
             int outputs) {
  extern __shared__ __align__(1024) char memory[];
  auto& stages = *reinterpret_cast<ProductStages*>(memory);
  const int role = threadIdx.x / 128, rows = padded_rows(size);
  const std::uint32_t rank = rank_in_cluster();
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      init_barrier(&stages.full[stage], 1);
      init_barrier(&stages.empty[stage], 4);
    }
    publish_barriers();
  }
  __syncthreads();
  sync_cluster();
  const int across = outputs / kColumns, tiles = rows / (2 * kRows) * across, steps = inputs / kDepth;
  if (role == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      int stage = 0;
      std::uint32_t parity = 1;
      for (int tile = blockIdx.x / 2; tile < tiles; tile += gridDim.x / 2) {
        const int row = (tile / across * 2 + rank) * kRows, column = tile % across * kColumns;
        for (int step = 0; step < steps; ++step) {
          wait_barrier(&stages.empty[stage], parity);
          expect_bytes(&stages.full[stage], kRowBytes + kColumnBytes);
          copy_box(stages.rows[stage], &in, step * kDepth, row, &stages.full[stage]);
          const int half = rank * (kColumns / 2);
          copy_box_to(stages.columns[stage] + half * kDepth * 2, &weights, step * kDepth, column + half,
                      &stages.full[stage], 3);
          if (++stage == kStages) stage = 0, parity ^= 1;
        }
      }
    }
    __syncwarp();
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32, half = role - 1;
    const bool speaks = threadIdx.x % 128 == 0;
    int stage = 0;
    std::uint32_t parity = 0;
    float sums[96];
    for (int tile = blockIdx.x / 2; tile < tiles; tile += gridDim.x / 2) {
      int last = 0;
      const auto release = [&] {
        if (speaks) arrive_at(&stages.empty[last], 0), arrive_at(&stages.empty[last], 1);
      };
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
          release();
        }
        last = stage;
        if (++stage == kStages) stage = 0, parity ^= 1;
      }
      wait_products<0>();
      settle(sums);
      release();
      const int column0 = tile % across * kColumns;
#pragma unroll
      for (int side = 0; side < 2; ++side) {
        const std::size_t row =
            (tile / across * 2 + rank) * kRows + half * 64 + warp * 16 + lane / 4 + 8 * side;
#pragma unroll
        for (int group = 0; group < 24; group += 4) {
          std::uint32_t words[4];
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            const float2 shift =
                *reinterpret_cast<const float2*>(bias + column0 + 8 * (group + i) + 2 * (lane % 4));
            float x = sums[4 * (group + i) + 2 * side] + shift.x,
                  y = sums[4 * (group + i) + 2 * side + 1] + shift.y;
            if constexpr (kGelu) x = gelu(x), y = gelu(y);
            words[i] = pack(x, y);
          }
          transpose_quad(words, lane);
          *reinterpret_cast<uint4*>(out + row * outputs + column0 + 8 * (group + lane % 4)) =
              make_uint4(words[0], words[1], words[2], words[3]);
        }
      }
      __syncwarp();
    }
  }
  sync_cluster();
}

// On the host.

inline CUtensorMap activation_map(Half* data, int columns, int rows, int box_rows = kRows) {
  return tensor_map(data, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, columns, rows, box_rows);
}
inline CUtensorMap weight_map(Half* data, int inputs, int outputs, int box_rows) {
  return tensor_map(data, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, inputs, outputs, box_rows);
}
template <bool kGelu>
void launch_multiply(const CUtensorMap& in, const CUtensorMap& weights, const float* bias, Half* out,
                     const BatchSize* size, int inputs, int outputs, cudaStream_t stream) {
  CHECK(cudaFuncSetAttribute(multiply<kGelu>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             sizeof(ProductStages)));
  multiply<kGelu>
      <<<kBlocks, 384, sizeof(ProductStages), stream>>>(in, weights, bias, out, size, inputs, outputs);
}

}  // namespace bf16
