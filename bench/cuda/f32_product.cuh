// The float32 product with the CPU's bits: every element is one chain of fused multiply-adds over the inputs
// in their order. Rows are row-major as compute::DeviceMatrix has them, a multiple of 16 bytes apart; weights
// are packed once into panels of 128 outputs, input after input. Compile with -fmad=false.
//
// The copy engine brings 128 rows x 32 inputs at a time, swizzled, so that eight lanes read 16 bytes of eight
// rows each from different banks: nothing is transposed.
#pragma once

#include <type_traits>

#include "encoder_math.cuh"
#include "hopper.cuh"

namespace f32 {

#ifndef F32_DEPTH
#define F32_DEPTH 4
#define F32_BLOCKS 2
#endif
constexpr int kTile = 128, kSlab = 32, kStages = F32_BLOCKS == 2 ? 3 : 2, kDepth = F32_DEPTH;
constexpr int kSlabFloats = kSlab * kTile;
constexpr int kProductBytes = kStages * 2 * kSlabFloats * 4 + 1024;  // swizzled tiles begin at 1,024 bytes

enum class Finish { none, relu, gelu };  // as compute::Activation

struct Product {
  CUtensorMap rows;  // of `in`, boxes of 32 inputs x 128 rows; zero beyond its ends
  const float* weights;
  const float* bias;      // or null
  const float* residual;  // or null; may be `out`
  float* out;
  std::size_t residual_stride, out_stride;
  int count, inputs, outputs;  // rows, their inputs
  float scale;
};

template <Finish kFinish>
__device__ __forceinline__ float finished(float sum, float scale, float bias) {
  const float value = fmaf(sum, scale, bias);
  if constexpr (kFinish == Finish::relu) return value < 0 ? 0.0f : value;
  if constexpr (kFinish == Finish::gelu) return encoder::gelu(value);
  return value;
}

/// A thread's 8 rows, eight apart, and four times four columns, sixteen apart. Residuals may lie where
/// results go, so those of four columns are read before any of them is written.
template <Finish kFinish, bool kWhole>
__device__ __forceinline__ void write_tile(const Product& p, const float (&sums)[8][16], int row0,
                                           int column0) {
#pragma unroll
  for (int part = 0; part < 4; ++part) {
    const int column = column0 + 16 * part;
    if (column >= p.outputs) continue;
    const int count = kWhole ? 4 : min(4, p.outputs - column);
    float bias[4] = {};
#pragma unroll
    for (int j = 0; j < 4; ++j)
      if (p.bias != nullptr && j < count) bias[j] = p.bias[column + j];
    float4 rest[8];
    if (kWhole && p.residual != nullptr) {
#pragma unroll
      for (int i = 0; i < 8; ++i)
        if (row0 + 8 * i < p.count)
          rest[i] = *reinterpret_cast<const float4*>(
              p.residual + static_cast<std::size_t>(row0 + 8 * i) * p.residual_stride + column);
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const std::size_t row = row0 + 8 * i;
      if (row >= p.count) continue;
      float* const out = p.out + row * p.out_stride + column;
      float value[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) value[j] = finished<kFinish>(sums[i][4 * part + j], p.scale, bias[j]);
      if constexpr (kWhole) {
        if (p.residual != nullptr) {
          value[0] += rest[i].x, value[1] += rest[i].y, value[2] += rest[i].z, value[3] += rest[i].w;
        }
        *reinterpret_cast<float4*>(out) = make_float4(value[0], value[1], value[2], value[3]);
      } else {
        const float* const residual = p.residual + row * p.residual_stride + column;
#pragma unroll
        for (int j = 0; j < 4; ++j)
          if (j < count) out[j] = p.residual == nullptr ? value[j] : value[j] + residual[j];
      }
    }
  }
}

/// Blocks of 128 x 128, a thread 8 rows x 16 columns. kWhole: results are written by fours.
template <Finish kFinish, bool kWhole>
__global__ void __launch_bounds__(128, F32_BLOCKS) multiply(const __grid_constant__ Product p) {
  extern __shared__ float unaligned[];
  float* const memory =
      unaligned + (1024 - hopper::shared_address(unaligned) % 1024) % 1024 / 4;  // kStages x (rows, weights)
  __shared__ std::uint64_t full[kStages];
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  const int row0 = warp / 2 * 64 + lane % 8, column0 = warp % 2 * 64 + lane / 8 * 4;
  const int slabs = (p.inputs + kSlab - 1) / kSlab;
  const float* const panel = p.weights + static_cast<std::size_t>(blockIdx.x) * slabs * kSlabFloats;
  const auto fetch = [&](int slab) {
    float* const to = memory + slab % kStages * 2 * kSlabFloats;
    std::uint64_t* const barrier = &full[slab % kStages];
    hopper::expect_bytes(barrier, 2 * kSlabFloats * 4);
    hopper::copy_box(to, &p.rows, slab * kSlab, blockIdx.y * kTile, barrier);
    hopper::copy_bytes(to + kSlabFloats, panel + slab * kSlabFloats, kSlabFloats * 4, barrier);
  };
  if (thread == 0) {
    for (int i = 0; i < kStages; ++i) hopper::init_barrier(&full[i], 1);
    hopper::publish_barriers();
    for (int slab = 0; slab < min(slabs, kStages - 1); ++slab) fetch(slab);
  }
  float sums[8][16] = {};
  __syncthreads();
  for (int slab = 0; slab < slabs; ++slab) {
    if (slab > 0) __syncthreads();  // all are done with the slab before: its place is free
    if (thread == 0 && slab + kStages - 1 < slabs) fetch(slab + kStages - 1);
    hopper::wait_barrier(&full[slab % kStages], slab / kStages % 2);
    const float* const a = memory + slab % kStages * 2 * kSlabFloats + row0 * kSlab;
    const float* const b = memory + slab % kStages * 2 * kSlabFloats + kSlabFloats + column0;
#pragma unroll(16 / kDepth)
    for (int step = 0; step < kSlab / kDepth; ++step) {
      using Inputs = std::conditional_t<kDepth == 4, float4, float2>;
      const int place = (step * kDepth / 4 ^ lane % 8) * 4 + step * kDepth % 4;  // see above: swizzled
      float x[8][kDepth];
#pragma unroll
      for (int i = 0; i < 8; ++i)
        *reinterpret_cast<Inputs*>(x[i]) = *reinterpret_cast<const Inputs*>(a + i * 8 * kSlab + place);
#pragma unroll
      for (int k = 0; k < kDepth; ++k) {
        float y[16];
#pragma unroll
        for (int i = 0; i < 4; ++i)
          *reinterpret_cast<float4*>(y + 4 * i) =
              *reinterpret_cast<const float4*>(b + (step * kDepth + k) * kTile + 16 * i);
#pragma unroll
        for (int i = 0; i < 8; ++i)
#pragma unroll
          for (int j = 0; j < 16; ++j) sums[i][j] = fmaf(x[i][k], y[j], sums[i][j]);
      }
    }
  }
  write_tile<kFinish, kWhole>(p, sums, blockIdx.y * kTile + row0, blockIdx.x * kTile + column0);
}

/// A thread an element of the panels: panel[input][output]. Beyond the inputs stands -0, which times the +0
/// of a row adds nothing to any sum, not even to -0.
__global__ void pack_weights(const float* __restrict__ weights, std::size_t stride, int inputs, int outputs,
                             float* panels) {
  const int slabs = (inputs + kSlab - 1) / kSlab, k = blockIdx.y, output = blockIdx.x * kTile + threadIdx.x;
  const bool inside = k < inputs && output < outputs;
  panels[(static_cast<std::size_t>(blockIdx.x) * slabs * kSlab + k) * kTile + threadIdx.x] =
      inside ? weights[output * stride + k] : -0.0f;
}

// On the host.

/// Rows of `columns` floats, `stride` apart, both a multiple of 16 bytes; read in boxes of 32 x 128.
inline bool map_rows(const float* rows, std::size_t count, std::size_t columns, std::size_t stride,
                     CUtensorMap* map) {
  using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                              const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                              CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
  static const Encode encode = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult state;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &state);
    return reinterpret_cast<Encode>(found);
  }();
  const cuuint64_t sizes[2] = {columns, count}, strides[1] = {stride * 4};
  const cuuint32_t box[2] = {kSlab, kTile}, steps[2] = {1, 1};
  return encode != nullptr &&
         encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(rows), sizes, strides, box, steps,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

}  // namespace f32
