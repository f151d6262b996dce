// The head of a row: where it lies on the first principal axes of a sample, and the length of what they leave
// (docs/background/exactness.md, step 6). A head never lengthens a distance.
#pragma once

#include <cmath>
#include <vector>

#include "set_coding.cuh"

namespace heads {

constexpr int kHeadColumns = 128;  // 127 axes and the length of the rest

__global__ void covariance(const float* x, int rows, int columns, int sample, const double* centre,
                           double* out) {
  const int a = blockIdx.x * 16 + threadIdx.x, b = blockIdx.y * 16 + threadIdx.y;
  double sum = 0;
  for (int i = 0; i < sample; ++i) {
    const float* const row =
        x + static_cast<std::size_t>(static_cast<long long>(i) * rows / sample) * columns;
    sum += (row[a] - centre[a]) * (row[b] - centre[b]);
  }
  out[a * columns + b] = sum;
}
__global__ void multiply_axes(const double* matrix, const double* axes, int columns,
                              double* out) {  // axes: columns x 127
  double sum = 0;
  for (int i = 0; i < columns; ++i) sum += matrix[blockIdx.x * columns + i] * axes[i * 128 + threadIdx.x];
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}
inline void make_orthonormal(std::vector<double>& axes, int columns) {  // columns x 128, the last stays zero
  for (int a = 0; a < kHeadColumns - 1; ++a) {
    for (int turn = 0; turn < 2; ++turn) {
      for (int b = 0; b < a; ++b) {
        double product = 0;
        for (int i = 0; i < columns; ++i) product += axes[i * 128 + a] * axes[i * 128 + b];
        for (int i = 0; i < columns; ++i) axes[i * 128 + a] -= product * axes[i * 128 + b];
      }
    }
    double square = 0;
    for (int i = 0; i < columns; ++i) square += axes[i * 128 + a] * axes[i * 128 + a];
    for (int i = 0; i < columns; ++i) axes[i * 128 + a] /= std::sqrt(square);
  }
  for (int i = 0; i < columns; ++i) axes[i * 128 + 127] = 0;
}
/// 32 rows a block, an axis a thread, in double.
__global__ void make_heads(const float* x, int rows, int columns, const double* centre, const double* axes,
                           double typical_rest, float* heads, double* rest_sum) {
  extern __shared__ float tile[];  // columns x 32
  __shared__ double squares[32], inside[32];
  const int row0 = blockIdx.x * 32, axis = threadIdx.x;
  if (axis < 32) squares[axis] = inside[axis] = 0;
  __syncthreads();
  for (int r = axis / 32; r < 32; r += 4) {
    double sum = 0;
    for (int i = axis % 32; i < columns; i += 32) {
      const float value =
          row0 + r < rows
              ? static_cast<float>(x[static_cast<std::size_t>(row0 + r) * columns + i] - centre[i])
              : 0.0f;
      tile[i * 32 + r] = value;
      sum += static_cast<double>(value) * value;
    }
    sum = filter::warp_sum(sum);
    if (axis % 32 == 0) squares[r] = sum;
  }
  __syncthreads();
  double sums[32] = {};
  for (int i = 0; i < columns; ++i) {
    const double along = axes[i * 128 + axis];
#pragma unroll
    for (int r = 0; r < 32; ++r) sums[r] += along * tile[i * 32 + r];
  }
#pragma unroll
  for (int r = 0; r < 32; ++r) {
    const double square = filter::warp_sum(sums[r] * sums[r]);
    if (axis % 32 == 0) atomicAdd(&inside[r], square);
  }
  __syncthreads();
  for (int r = 0; r < 32 && row0 + r < rows; ++r) {
    const double rest = sqrt(fmax(0.0, squares[r] - inside[r]));
    heads[static_cast<std::size_t>(row0 + r) * 128 + axis] =
        static_cast<float>(axis < 127 ? sums[r] : rest - typical_rest);
    if (axis == 127 && rest_sum) atomicAdd(rest_sum, rest);
  }
}

}  // namespace heads
