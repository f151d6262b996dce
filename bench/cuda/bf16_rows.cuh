// What a bf16 encoder does row by row: embeddings with their norm, sum and norm of rows too wide for a pair
// of blocks, and one vector per sequence.
#pragma once

#include "bf16_product_norm.cuh"

namespace bf16 {

__device__ inline float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}
/// A warp holds a row, lane l the pairs 2 l, 2 l + 64, ...
template <int kPairs>
__device__ inline void norm_row(float2 (&row)[kPairs], const NormWeights& norm, int lane, Half* to) {
  float sum = 0;
#pragma unroll
  for (const float2& pair : row) sum += pair.x + pair.y;
  const float mean = sum_of_warp(sum) * (1.0f / (64 * kPairs));
  float squares = 0;
#pragma unroll
  for (const float2& pair : row) {
    squares = fmaf(pair.x - mean, pair.x - mean, squares);
    squares = fmaf(pair.y - mean, pair.y - mean, squares);
  }
  const float factor = rsqrtf(sum_of_warp(squares) * (1.0f / (64 * kPairs)) + norm.epsilon);
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    const int column = 64 * i + 2 * lane;
    const float2 gain = *reinterpret_cast<const float2*>(norm.gain + column);
    const float2 shift = *reinterpret_cast<const float2*>(norm.bias + column);
    *reinterpret_cast<std::uint32_t*>(to + column) = pack(fmaf((row[i].x - mean) * factor, gain.x, shift.x),
                                                          fmaf((row[i].y - mean) * factor, gain.y, shift.y));
  }
}

struct Tables {
  const Half *words, *positions, *type;
};

/// A warp per token, a block per sequence.
template <int kPairs>
__global__ void embed(const int* __restrict__ ids, const int* __restrict__ starts, const BatchSize* size,
                      Tables tables, NormWeights norm, Half* __restrict__ out) {
  constexpr int kHidden = 64 * kPairs;
  const int sequence = blockIdx.x, lane = threadIdx.x % 32;
  if (sequence >= size->sequences) return;
  const int begin = starts[sequence], end = starts[sequence + 1];
  for (int token = begin + threadIdx.x / 32; token < end; token += blockDim.x / 32) {
    const std::size_t word = static_cast<std::size_t>(ids[token]) * kHidden;
    const std::size_t position = static_cast<std::size_t>(token - begin) * kHidden;
    float2 row[kPairs];
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
      const int column = 64 * i + 2 * lane;
      const auto read = [&](const Half* from) {
        return unpack(*reinterpret_cast<const std::uint32_t*>(from + column));
      };
      const float2 a = read(tables.words + word), b = read(tables.positions + position),
                   c = read(tables.type);
      row[i] = {a.x + b.x + c.x, a.y + b.y + c.y};
    }
    norm_row(row, norm, lane, out + static_cast<std::size_t>(token) * kHidden);
  }
}

/// states = norm(states + sum) for rows of 768; a warp per token, a lane has three pieces of eight columns.
__global__ void add_norm(const Half* __restrict__ sum, const BatchSize* size, NormWeights norm,
                         Half* states) {
  constexpr int kHidden = 768, kPieces = 3;
  const int lane = threadIdx.x % 32, tokens = size->tokens;
  for (int token = (blockIdx.x * blockDim.x + threadIdx.x) / 32; token < tokens;
       token += gridDim.x * blockDim.x / 32) {
    const std::size_t place = static_cast<std::size_t>(token) * kHidden + lane * 8;
    float2 row[4 * kPieces];
    float total = 0;
#pragma unroll
    for (int piece = 0; piece < kPieces; ++piece) {
      const uint4 a = *reinterpret_cast<const uint4*>(sum + place + piece * 256);
      const uint4 b = *reinterpret_cast<const uint4*>(states + place + piece * 256);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float2 x = unpack((&a.x)[i]), y = unpack((&b.x)[i]);
        row[4 * piece + i] = {x.x + y.x, x.y + y.y};
        total += row[4 * piece + i].x + row[4 * piece + i].y;
      }
    }
    const float mean = sum_of_warp(total) * (1.0f / kHidden);
    float squares = 0;
#pragma unroll
    for (const float2& pair : row) {
      squares = fmaf(pair.x - mean, pair.x - mean, squares);
      squares = fmaf(pair.y - mean, pair.y - mean, squares);
    }
    const float factor = rsqrtf(sum_of_warp(squares) * (1.0f / kHidden) + norm.epsilon);
#pragma unroll
    for (int piece = 0; piece < kPieces; ++piece) {
      uint4 result;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int column = lane * 8 + piece * 256 + 2 * i;
        const float2 gain = *reinterpret_cast<const float2*>(norm.gain + column);
        const float2 shift = *reinterpret_cast<const float2*>(norm.bias + column);
        const float2 value = row[4 * piece + i];
        (&result.x)[i] = pack(fmaf((value.x - mean) * factor, gain.x, shift.x),
                              fmaf((value.y - mean) * factor, gain.y, shift.y));
      }
      *reinterpret_cast<uint4*>(states + place + piece * 256) = result;
    }
  }
}

/// The mean of a sequence's rows, of length 1; a block per sequence, a thread per pair of columns.
__global__ void pool(const Half* __restrict__ states, const int* __restrict__ starts, const BatchSize* size,
                     int hidden, float* __restrict__ out) {
  __shared__ float parts[32];
  const int sequence = blockIdx.x, lane = threadIdx.x % 32;
  if (sequence >= size->sequences) return;
  const int begin = starts[sequence], end = starts[sequence + 1];
  float2 sum{};
#pragma unroll 8
  for (int token = begin; token < end; ++token) {
    const float2 value = unpack(*reinterpret_cast<const std::uint32_t*>(
        states + static_cast<std::size_t>(token) * hidden + 2 * threadIdx.x));
    sum.x += value.x, sum.y += value.y;
  }
  const float share = 1 / static_cast<float>(end - begin);
  sum.x *= share, sum.y *= share;
  const float mine = sum_of_warp(sum.x * sum.x + sum.y * sum.y);
  if (lane == 0) parts[threadIdx.x / 32] = mine;
  __syncthreads();
  float squares = 0;
  for (int i = 0; i < blockDim.x / 32; ++i) squares += parts[i];
  const float factor = 1 / fmaxf(sqrtf(squares), 1e-12f);
  *reinterpret_cast<float2*>(out + static_cast<std::size_t>(sequence) * hidden + 2 * threadIdx.x) = {
      sum.x * factor, sum.y * factor};
}

}  // namespace bf16
