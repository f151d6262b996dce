// The float32 product with the CPU's bits: every element is one chain of fused multiply-adds over the inputs
// in their order. Rows are row-major as compute::DeviceMatrix has them, with any number of columns and any
// stride; weights are packed once into panels of 128 outputs, input after input. Compile with -fmad=false.
#pragma once

#include "encoder_math.cuh"
#include "hopper.cuh"

namespace f32 {

constexpr int kTile = 128, kSlab = 16, kStages = 4;
constexpr int kRowStride = kTile + 4;  // of a slab of rows: four bytes of any 8 inputs x 4 rows in 32 banks
constexpr int kRowFloats = kSlab * kRowStride, kWeightFloats = kSlab * kTile;
constexpr int kProductBytes = kStages * (kRowFloats + kWeightFloats) * 4;

enum class Finish { none, relu, gelu };  // as compute::Activation

struct Product {
  const float* in;
  const float* weights;
  const float* bias;      // or null
  const float* residual;  // or null; may be `out`
  float* out;
  std::size_t in_stride, residual_stride, out_stride;
  int rows, inputs, outputs;
  float scale;
};

/// Four bytes by this thread's own copy, zero where `wanted` is false.
__device__ __forceinline__ void copy_four(float* to, const float* from, bool wanted) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(hopper::shared_address(to)), "l"(from),
               "r"(wanted ? 4 : 0)
               : "memory");
}
__device__ __forceinline__ void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int kOpenGroups>
__device__ __forceinline__ void wait_copies_but() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kOpenGroups) : "memory");
}

/// Copies inputs [16 slab, 16 slab + 16) of the block's rows, turned: input after input. Eight lanes read 32
/// bytes of a row.
__device__ __forceinline__ void fetch_rows(const Product& p, int slab, float* to) {
  const int k = threadIdx.x % 8, first = threadIdx.x / 8, begin = blockIdx.y * kTile;
  const int column = slab * kSlab + k, rows = p.rows - begin - first;
  const float* from = p.in + (begin + first) * p.in_stride + column;
  float* place = to + k * kRowStride + first;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    copy_four(place + 16 * i, from, column < p.inputs && 16 * i < rows);
    copy_four(place + 8 * kRowStride + 16 * i, from + 8, column + 8 < p.inputs && 16 * i < rows);
    from += 16 * p.in_stride;
    asm volatile("" : "+l"(from));  // else eight addresses are kept through the products
  }
}

template <Finish kFinish>
__device__ __forceinline__ float finished(float sum, float scale, float bias) {
  const float value = fmaf(sum, scale, bias);
  if constexpr (kFinish == Finish::relu) return value < 0 ? 0.0f : value;
  if constexpr (kFinish == Finish::gelu) return encoder::gelu(value);
  return value;
}

/// Three blocks a multiprocessor leave 168 registers a thread, too few for the polynomial of gelu.
constexpr int blocks_of(Finish finish) {
  return finish == Finish::gelu ? 2 : 3;
}

/// Blocks of 128 x 128, a thread 8 rows x 16 columns. kWhole: results are written by fours.
template <Finish kFinish, bool kWhole>
__global__ void __launch_bounds__(128, blocks_of(kFinish)) multiply(const Product p) {
  extern __shared__ __align__(128) float memory[];  // kStages x (slab of weights, slab of rows)
  __shared__ std::uint64_t full[kStages];
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  const int row0 = warp / 2 * 64 + lane % 8 * 4, column0 = warp % 2 * 64 + lane / 8 * 4;
  const int slabs = (p.inputs + kSlab - 1) / kSlab;
  const float* const panel = p.weights + static_cast<std::size_t>(blockIdx.x) * slabs * kWeightFloats;
  const auto stage = [&](int slab) { return memory + slab % kStages * (kWeightFloats + kRowFloats); };
  const auto fetch_weights = [&](int slab) {
    hopper::expect_bytes(&full[slab % kStages], kWeightFloats * 4);
    hopper::copy_bytes(stage(slab), panel + slab * kWeightFloats, kWeightFloats * 4, &full[slab % kStages]);
  };
  if (thread == 0) {
    for (int i = 0; i < kStages; ++i) hopper::init_barrier(&full[i], 1);
    hopper::publish_barriers();
    for (int slab = 0; slab < min(slabs, kStages - 1); ++slab) fetch_weights(slab);
  }
  for (int slab = 0; slab < kStages - 1; ++slab) {
    if (slab < slabs) fetch_rows(p, slab, stage(slab) + kWeightFloats);
    commit_copies();
  }
  float sums[8][16] = {};
  for (int slab = 0; slab < slabs; ++slab) {
    wait_copies_but<kStages - 2>();
    __syncthreads();  // the rows are here, and all are done with the slab before: its place is free
    if (slab + kStages - 1 < slabs) {
      if (thread == 0) fetch_weights(slab + kStages - 1);
      fetch_rows(p, slab + kStages - 1, stage(slab + kStages - 1) + kWeightFloats);
    }
    commit_copies();
    hopper::wait_barrier(&full[slab % kStages], slab / kStages % 2);
    const float* const b = stage(slab) + column0;
    const float* const a = stage(slab) + kWeightFloats + row0;
#pragma unroll
    for (int k = 0; k < kSlab; ++k) {
      float x[8], y[16];
#pragma unroll
      for (int i = 0; i < 2; ++i)
        *reinterpret_cast<float4*>(x + 4 * i) = *reinterpret_cast<const float4*>(a + k * kRowStride + 32 * i);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        *reinterpret_cast<float4*>(y + 4 * i) = *reinterpret_cast<const float4*>(b + k * kTile + 16 * i);
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 16; ++j) sums[i][j] = fmaf(x[i], y[j], sums[i][j]);
    }
  }
  wait_copies_but<0>();
#pragma unroll
  for (int part = 0; part < 4; ++part) {
    const int column = blockIdx.x * kTile + column0 + 16 * part;
    if (column >= p.outputs) continue;
    const int count = kWhole ? 4 : min(4, p.outputs - column);
    float bias[4] = {};
#pragma unroll
    for (int j = 0; j < 4; ++j)
      if (p.bias != nullptr && j < count) bias[j] = p.bias[column + j];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const std::size_t row = blockIdx.y * kTile + row0 + i / 4 * 32 + i % 4;
      if (row >= p.rows) continue;
      float* const out = p.out + row * p.out_stride + column;
      const float* const residual = p.residual + row * p.residual_stride + column;
      float value[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) value[j] = finished<kFinish>(sums[i][4 * part + j], p.scale, bias[j]);
      if constexpr (kWhole) {
        if (p.residual != nullptr) {
          const float4 rest = *reinterpret_cast<const float4*>(residual);
          value[0] += rest.x, value[1] += rest.y, value[2] += rest.z, value[3] += rest.w;
        }
        *reinterpret_cast<float4*>(out) = make_float4(value[0], value[1], value[2], value[3]);
      } else {
#pragma unroll
        for (int j = 0; j < 4; ++j)
          if (j < count) out[j] = p.residual == nullptr ? value[j] : value[j] + residual[j];
      }
    }
  }
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

}  // namespace f32
