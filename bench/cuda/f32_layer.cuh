// The operations of a BERT-like encoder in float32 with the CPU's bits on a Hopper GPU: every product one
// chain of fused multiply-adds, softmax, gelu and layer norm by the CPU's sums and polynomials. Compile with
// -fmad=false.
//
// Activations live in panels of 128 tokens, column after column inside a panel. So a slab of 16 columns of a
// panel is one piece of 8 KiB, which one bulk copy brings in the order the product wants; a thread that owns
// a row reads along with its neighbours; and nothing is transposed anywhere. Weights are packed once into
// panels of 128 outputs.
#pragma once

#include <cmath>
#include <vector>

#include "encoder_math.cuh"
#include "hopper.cuh"

namespace f32 {

constexpr int kPanel = 128, kSlab = 16, kStages = 4;
enum class Finish { plain, gelu, residual };
/// Three blocks a multiprocessor leave 168 registers a thread, too few for the polynomial of gelu.
constexpr int blocks_of(Finish finish) {
  return finish == Finish::gelu ? 2 : 3;
}

/// out = finish(in * transposed(weights) + bias): blocks of 128 x 128, a thread 8 rows x 16 columns.
/// Chains run over k in order, whatever the stage.
template <Finish kFinish>
__global__ void __launch_bounds__(128, blocks_of(kFinish))
    multiply(const float* __restrict__ in, const float* __restrict__ weights, const float* __restrict__ bias,
             const float* residual, float* out, int inputs, int outputs) {
  extern __shared__ __align__(128) float memory[];  // kStages x (slab of rows, slab of weights)
  __shared__ std::uint64_t full[kStages];
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  const int row0 = warp / 2 * 64 + lane % 8 * 4, column0 = warp % 2 * 64 + lane / 8 * 4;
  const float* const rows = in + static_cast<std::size_t>(blockIdx.y) * kPanel * inputs;
  const float* const columns = weights + static_cast<std::size_t>(blockIdx.x) * kPanel * inputs;
  constexpr int kFloats = kPanel * kSlab;
  const auto fetch = [&](int slab) {
    std::uint64_t* const barrier = &full[slab % kStages];
    float* const to = memory + slab % kStages * 2 * kFloats;
    hopper::expect_bytes(barrier, 2 * kFloats * 4);
    hopper::copy_bytes(to, rows + slab * kFloats, kFloats * 4, barrier);
    hopper::copy_bytes(to + kFloats, columns + slab * kFloats, kFloats * 4, barrier);
  };
  const int slabs = inputs / kSlab;
  if (thread == 0) {
    for (int stage = 0; stage < kStages; ++stage) hopper::init_barrier(&full[stage], 1);
    hopper::publish_barriers();
    for (int slab = 0; slab < kStages - 1; ++slab) fetch(slab);
  }
  __syncthreads();
  float sums[8][16] = {};
  for (int slab = 0; slab < slabs; ++slab) {
    if (slab > 0) __syncthreads();  // all are done with the slab before: its place is free
    if (thread == 0 && slab + kStages - 1 < slabs) fetch(slab + kStages - 1);
    hopper::wait_barrier(&full[slab % kStages], slab / kStages % 2);
    const float* const a = memory + slab % kStages * 2 * kFloats + row0;
    const float* const b = memory + slab % kStages * 2 * kFloats + kFloats + column0;
#pragma unroll
    for (int k = 0; k < kSlab; ++k) {
      float x[8], y[16];
#pragma unroll
      for (int i = 0; i < 2; ++i)
        *reinterpret_cast<float4*>(x + 4 * i) = *reinterpret_cast<const float4*>(a + k * kPanel + 32 * i);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        *reinterpret_cast<float4*>(y + 4 * i) = *reinterpret_cast<const float4*>(b + k * kPanel + 16 * i);
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 16; ++j) sums[i][j] = fmaf(x[i], y[j], sums[i][j]);
    }
  }
#pragma unroll
  for (int j = 0; j < 16; ++j) {
    const int column = blockIdx.x * kPanel + column0 + 16 * (j / 4) + j % 4;
    const float shift = bias[column];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::size_t place =
          (static_cast<std::size_t>(blockIdx.y) * outputs + column) * kPanel + row0 + 32 * half;
      float4 rest{};
      if constexpr (kFinish == Finish::residual) rest = *reinterpret_cast<const float4*>(residual + place);
      float value[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        value[i] = sums[4 * half + i][j] + shift;
        if constexpr (kFinish == Finish::gelu) value[i] = encoder::gelu(value[i]);
        if constexpr (kFinish == Finish::residual) value[i] = value[i] + (&rest.x)[i];
      }
      *reinterpret_cast<float4*>(out + place) = make_float4(value[0], value[1], value[2], value[3]);
    }
  }
}

/// A thread a row; terms go to sixteen running sums, slabs of sixteen columns by turns to two sets of them.
__global__ void layer_norm(float* states, const float* __restrict__ gain, const float* __restrict__ bias,
                           float epsilon, int columns) {
  float* const row = states + static_cast<std::size_t>(blockIdx.x) * kPanel * columns + threadIdx.x;
  const auto sum_columns = [&](auto add) {
    float even[16] = {}, odd[16] = {};
    int column = 0;
    for (; column + 32 <= columns; column += 32) {
      float value[32];
#pragma unroll
      for (int i = 0; i < 32; ++i) value[i] = row[(column + i) * kPanel];
#pragma unroll
      for (int i = 0; i < 16; ++i) add(value[i], even[i]), add(value[16 + i], odd[i]);
    }
    if (column < columns)
#pragma unroll
      for (int i = 0; i < 16; ++i) add(row[(column + i) * kPanel], even[i]);
#pragma unroll
    for (int i = 0; i < 16; ++i) even[i] += odd[i];
    return encoder::total(even);
  };
  const float mean = sum_columns([](float value, float& sum) { sum += value; }) / static_cast<float>(columns);
  const float variance = sum_columns([=](float value, float& sum) {
                           const float difference = value - mean;
                           sum = fmaf(difference, difference, sum);
                         }) /
                         static_cast<float>(columns);
  const float factor = 1.0f / sqrtf(variance + epsilon);
#pragma unroll 8
  for (int column = 0; column < columns; ++column)
    row[column * kPanel] = fmaf((row[column * kPanel] - mean) * factor, gain[column], bias[column]);
}

/// A warp per head of a sequence, a lane per query (32 at a time): scores, softmax and the weighted sum of
/// the values, each a chain over the keys or the columns in order. Keys and values of all tokens lie in
/// shared memory.
__global__ void __launch_bounds__(128)
    attention(const float* __restrict__ qkv, const int* __restrict__ starts, int sequences, int longest,
              int heads, float scale, float* out) {
  extern __shared__ float memory[];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, hidden = heads * 32;
  const int item = blockIdx.x * (blockDim.x / 32) + warp, sequence = item / heads, head = item % heads;
  if (sequence >= sequences) return;
  float* const keys = memory + static_cast<std::size_t>(warp) * longest * 3 * 32;
  float* const values = keys + longest * 32;
  float* const scores = values + longest * 32;  // of key j and query `lane`: scores[j * 32 + lane]
  const int begin = starts[sequence], length = starts[sequence + 1] - begin;
  const auto at = [&](const float* matrix, int columns, int column, int token) {
    return matrix + (static_cast<std::size_t>(token / kPanel) * columns + column) * kPanel + token % kPanel;
  };
  for (int token = lane; token < length; token += 32) {
#pragma unroll 8
    for (int i = 0; i < 32; ++i) {
      keys[token * 32 + (i ^ (token % 8 * 4))] = *at(qkv, 3 * hidden, hidden + head * 32 + i, begin + token);
      values[token * 32 + (i ^ (token % 8 * 4))] =
          *at(qkv, 3 * hidden, 2 * hidden + head * 32 + i, begin + token);
    }
  }
  __syncwarp();
  for (int first = 0; first < length; first += 32) {
    const int query = min(first + lane, length - 1);
    float q[32];
#pragma unroll
    for (int i = 0; i < 32; ++i) q[i] = *at(qkv, 3 * hidden, head * 32 + i, begin + query);
    float highest = -INFINITY;
    for (int key = 0; key < length; ++key) {
      float score = 0;
#pragma unroll
      for (int i = 0; i < 32; i += 4) {
        const float4 k = *reinterpret_cast<const float4*>(keys + key * 32 + (i ^ (key % 8 * 4)));
        score = fmaf(q[i], k.x, score);
        score = fmaf(q[i + 1], k.y, score);
        score = fmaf(q[i + 2], k.z, score);
        score = fmaf(q[i + 3], k.w, score);
      }
      score = score * scale;
      scores[key * 32 + lane] = score;
      highest = fmaxf(highest, score);
    }
    float sums[16] = {};
    for (int key = 0; key < length; key += 16) {
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        if (key + i >= length) continue;
        const float power = encoder::exponential(scores[(key + i) * 32 + lane] - highest);
        scores[(key + i) * 32 + lane] = power;
        sums[i] += power;
      }
    }
    const float share = 1.0f / encoder::total(sums);
    float sum[32] = {};
    for (int key = 0; key < length; ++key) {
      const float weight = scores[key * 32 + lane];
#pragma unroll
      for (int i = 0; i < 32; i += 4) {
        const float4 v = *reinterpret_cast<const float4*>(values + key * 32 + (i ^ (key % 8 * 4)));
        sum[i] = fmaf(weight, v.x, sum[i]);
        sum[i + 1] = fmaf(weight, v.y, sum[i + 1]);
        sum[i + 2] = fmaf(weight, v.z, sum[i + 2]);
        sum[i + 3] = fmaf(weight, v.w, sum[i + 3]);
      }
    }
    if (first + lane < length)
#pragma unroll
      for (int i = 0; i < 32; ++i)
        *const_cast<float*>(at(out, hidden, head * 32 + i, begin + query)) = sum[i] * share;
    __syncwarp();
  }
}

/// Word, position and type, added in this order; a thread a token. The norm is a launch of its own.
__global__ void embed(const int* __restrict__ ids, const int* __restrict__ positions, int tokens,
                      const float* __restrict__ words, const float* __restrict__ places,
                      const float* __restrict__ type, int columns, float* out) {
  const int token = blockIdx.x * kPanel + threadIdx.x;
  if (token >= tokens) return;
  const float* const word = words + static_cast<std::size_t>(ids[token]) * columns;
  const float* const place = places + static_cast<std::size_t>(positions[token]) * columns;
  float* const to = out + static_cast<std::size_t>(blockIdx.x) * kPanel * columns + threadIdx.x;
#pragma unroll 4
  for (int column = 0; column < columns; ++column)
    to[column * kPanel] = (word[column] + place[column]) + type[column];
}

/// The mean of a sequence's rows, then length 1 as embed/encoded_texts.cpp makes it; a block a sequence, a
/// thread a column.
__global__ void pool(const float* __restrict__ states, const int* __restrict__ starts, int columns,
                     float* out) {
  extern __shared__ float memory[];
  __shared__ float length;
  const int begin = starts[blockIdx.x], end = starts[blockIdx.x + 1], column = threadIdx.x;
  const auto at = [&](int token) {
    return states[(static_cast<std::size_t>(token / kPanel) * columns + column) * kPanel + token % kPanel];
  };
  float sum = at(begin);
  for (int token = begin + 1; token < end; ++token) sum += at(token);
  sum /= static_cast<float>(end - begin);
  memory[column] = sum;
  __syncthreads();
  if (column == 0) {
    double squares = 0;
    for (int i = 0; i < columns; ++i) squares += static_cast<double>(memory[i]) * memory[i];
    length = static_cast<float>(fmax(sqrt(squares), 1e-12));
  }
  __syncthreads();
  out[static_cast<std::size_t>(blockIdx.x) * columns + column] = sum / length;
}

// On the host.

inline float* upload(const std::vector<float>& values) {
  float* result = nullptr;
  CHECK(cudaMalloc(&result, values.size() * 4));
  CHECK(cudaMemcpy(result, values.data(), values.size() * 4, cudaMemcpyHostToDevice));
  return result;
}
/// Row-major to panels: also the packing of weights.
inline std::vector<float> to_panels(const std::vector<float>& rows, int columns) {
  const std::size_t count = rows.size() / columns, panels = (count + kPanel - 1) / kPanel;
  std::vector<float> result(panels * kPanel * columns);
  for (std::size_t row = 0; row < count; ++row)
    for (int column = 0; column < columns; ++column)
      result[(row / kPanel * columns + column) * kPanel + row % kPanel] = rows[row * columns + column];
  return result;
}

template <Finish kFinish>
void product(int panels, const float* in, const float* weights, const float* bias, const float* residual,
             float* out, int inputs, int outputs) {
  constexpr int kBytes = kStages * 2 * kPanel * kSlab * 4;
  CHECK(cudaFuncSetAttribute(multiply<kFinish>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  multiply<kFinish>
      <<<dim3(outputs / kPanel, panels), 128, kBytes>>>(in, weights, bias, residual, out, inputs, outputs);
}
/// Heads are 32 columns wide. The longest sequence says how many warps the shared memory of a block has room
/// for.
inline void attend(const float* qkv, const int* starts, int sequences, int longest, int heads, float* out) {
  const int bytes = longest * 3 * 32 * 4, warps = longest <= 128 ? 4 : longest <= 256 ? 2 : 1;
  CHECK(cudaFuncSetAttribute(attention, cudaFuncAttributeMaxDynamicSharedMemorySize, warps * bytes));
  attention<<<(sequences * heads + warps - 1) / warps, 32 * warps, warps * bytes>>>(
      qkv, starts, sequences, longest, heads, 1 / std::sqrt(32.0f), out);
}

}  // namespace f32
