// The operations of compute/transformer.hpp on rows, with the CPU's bits: norms, embeddings, rotary
// positions, functions of numbers, copies, pooling. Matrices are row-major with any stride.
#pragma once

#include <cstdint>

#include "encoder_math.cuh"
#include "f32_types.cuh"

namespace f32 {

/// The sixteen running sums of sixteen lanes, added in halves.
__device__ __forceinline__ float total_of_lanes(float sum) {
#pragma unroll
  for (int step = 8; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  return sum;
}

/// Sixteen lanes a row: lane i has running sum i, slabs of sixteen columns go to two sets of sums by turns,
/// and columns behind the last slab are added one by one, as compute/cpu/transformer_kernels.cpp does.
/// kSlabs: as many slabs are kept in registers; 0: rows of any width, read three times.
template <int kSlabs>
__global__ void __launch_bounds__(128)
    layer_norm(Rows<const float> in, const float* __restrict__ gain, const float* __restrict__ bias,
               float epsilon, Rows<float> out) {
  const int row = blockIdx.x * 8 + threadIdx.x / 16, lane = threadIdx.x % 16;
  const bool is_row = row < in.rows;
  const float* const from = in.row(is_row ? row : in.rows - 1);
  float* const to = out.row(is_row ? row : in.rows - 1);
  const int columns = in.columns, slabs = columns / 16;
  float kept[kSlabs > 0 ? kSlabs : 1];
  if constexpr (kSlabs > 0) {
#pragma unroll
    for (int slab = 0; slab < kSlabs; ++slab) kept[slab] = slab < slabs ? from[slab * 16 + lane] : 0;
  }
  const auto sum_columns = [&](auto add) {
    float even = 0, odd = 0;
    if constexpr (kSlabs > 0) {
#pragma unroll
      for (int slab = 0; slab < kSlabs; ++slab)
        if (slab < slabs) add(kept[slab], slab % 2 == 0 ? even : odd);
    } else {
      for (int slab = 0; slab < slabs; ++slab) add(from[slab * 16 + lane], slab % 2 == 0 ? even : odd);
    }
    return total_of_lanes(even + odd);
  };
  float sum = sum_columns([](float value, float& to_sum) { to_sum += value; });
  for (int column = slabs * 16; column < columns; ++column) sum += from[column];
  const float mean = sum / static_cast<float>(columns);
  float squares = sum_columns([=](float value, float& to_sum) {
    const float difference = value - mean;
    to_sum = fmaf(difference, difference, to_sum);
  });
  for (int column = slabs * 16; column < columns; ++column)
    squares += (from[column] - mean) * (from[column] - mean);
  const float variance = squares / static_cast<float>(columns);
  const float factor = 1.0f / sqrtf(variance + epsilon);
  __syncwarp();  // `out` may be `in`: all lanes have read what stands behind the last slab
  if (!is_row) return;
  const auto finish = [&](float value, int column) {
    to[column] = fmaf((value - mean) * factor, gain[column], bias[column]);
  };
  if constexpr (kSlabs > 0) {
#pragma unroll
    for (int slab = 0; slab < kSlabs; ++slab)
      if (slab < slabs) finish(kept[slab], slab * 16 + lane);
  } else {
    for (int slab = 0; slab < slabs; ++slab) finish(from[slab * 16 + lane], slab * 16 + lane);
  }
  if (slabs * 16 + lane < columns) finish(from[slabs * 16 + lane], slabs * 16 + lane);
}

/// Calls body(row, column) for all numbers of a matrix: a block a row.
template <typename Body>
__device__ __forceinline__ void for_numbers(int columns, const Body& body) {
  for (int column = threadIdx.x; column < columns; column += blockDim.x) body(blockIdx.x, column);
}

/// Word, position and type, added in this order. The norm is a launch of its own.
__global__ void embed(const int* __restrict__ ids, const int* __restrict__ positions, Rows<const float> words,
                      Rows<const float> table, const float* __restrict__ type, Rows<float> out) {
  for_numbers(out.columns, [&](int row, int column) {
    float sum = words.row(ids[row])[column];
    if (table.data != nullptr) sum += table.row(positions[row])[column];
    if (type != nullptr) sum += type[column];
    out.row(row)[column] = sum;
  });
}

/// One of the two products is rounded, the other is fused with the sum.
__global__ void rotate(const int* __restrict__ positions, Rows<const float> cosines, Rows<const float> sines,
                       Rows<float> values) {
  const int points = cosines.columns;
  for_numbers(values.columns / 2, [&](int row, int pair) {
    const int point = pair % points;
    float* const first = values.row(row) + pair / points * 2 * points + point;
    float* const second = first + points;
    const float cosine = cosines.row(positions[row])[point], sine = sines.row(positions[row])[point];
    const float x = *first, y = *second;
    *first = fmaf(x, cosine, -(y * sine));
    *second = fmaf(y, cosine, x * sine);
  });
}

template <typename Operation>
__global__ void change_numbers(Rows<float> a, Rows<const float> b, Operation operation) {
  for_numbers(a.columns, [&](int row, int column) {
    float* const value = a.row(row) + column;
    *value = operation(*value, b.data == nullptr ? 0.0f : b.row(row)[column]);
  });
}

__global__ void gather_rows(Rows<const float> in, const int* __restrict__ indices, Rows<float> out) {
  for_numbers(out.columns, [&](int row, int column) {
    out.row(row)[column] = in.row(indices == nullptr ? row : indices[row])[column];
  });
}

/// sequence_of[row]: the sequence of a row; starts as compute::TransformerOperations::pack_sequences takes
/// it.
__global__ void unfold(Rows<const float> in, const int* __restrict__ starts,
                       const int* __restrict__ sequence_of, int reach, Rows<float> out) {
  for_numbers(out.columns, [&](int row, int column) {
    const int sequence = sequence_of[row];
    const int source = row + column / in.columns - reach;
    const bool inside = source >= starts[sequence] && source < starts[sequence + 1];
    out.row(row)[column] = inside ? in.row(source)[column % in.columns] : 0.0f;
  });
}

/// pooling as compute::Pooling: mean, cls, max.
__global__ void pool(Rows<const float> in, const int* __restrict__ starts, int pooling, Rows<float> out) {
  for_numbers(out.columns, [&](int sequence, int column) {
    const int begin = starts[sequence], end = starts[sequence + 1];
    float result = in.row(begin)[column];
    for (int row = begin + 1; row < end && pooling != 1; ++row) {
      const float value = in.row(row)[column];
      result = pooling == 0 ? result + value : result < value ? value : result;
    }
    if (pooling == 0) result /= static_cast<float>(end - begin);
    out.row(sequence)[column] = result;
  });
}

/// A warp takes 32 rows: their squares are added in double, in the order of the columns, by a lane a row.
__global__ void __launch_bounds__(32) normalize_rows(Rows<float> rows) {
  __shared__ float tile[32][33];
  const int first = blockIdx.x * 32, lane = threadIdx.x, count = min(32, rows.rows - first);
  double squares = 0;
  for (int begin = 0; begin < rows.columns; begin += 32) {
    const int columns = min(32, rows.columns - begin);
    __syncwarp();
    if (lane < columns)
      for (int row = 0; row < count; ++row) tile[row][lane] = rows.row(first + row)[begin + lane];
    __syncwarp();
    if (lane < count)
      for (int column = 0; column < columns; ++column)
        squares = squares + static_cast<double>(tile[lane][column]) * static_cast<double>(tile[lane][column]);
  }
  // std::max(a, b) of the CPU: `a` where neither is larger, so a NaN stays.
  const double root = sqrt(squares), length = root < 1e-12 ? 1e-12 : root;
  const auto divisor = static_cast<float>(length);
  for (int row = 0; row < count; ++row) {
    const float by = __shfl_sync(0xffffffffu, divisor, row);
    for (int column = lane; column < rows.columns; column += 32) rows.row(first + row)[column] /= by;
  }
}

/// A warp a row: 1 where all numbers are finite.
__global__ void finite_rows(Rows<const float> rows, std::uint8_t* finite) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows.rows) return;
  bool good = true;
  for (int column = threadIdx.x % 32; column < rows.columns; column += 32)
    good = good && (__float_as_uint(rows.row(row)[column]) & 0x7f800000) != 0x7f800000;
  good = __all_sync(0xffffffffu, good);
  if (threadIdx.x % 32 == 0) finite[row] = good ? 1 : 0;
}

}  // namespace f32
