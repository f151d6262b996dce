// Heads of rows: their places along the axes in which a sample of them spreads most. Orthonormal axes never
// lengthen a distance (docs/background/exactness.md, step 6), so a pair within reach has heads within reach.
// A filter of heads has a third of the work; what it lets through is measured over all columns. Axes cost
// time, never a pair: any will do.
#pragma once

#include "f32_product.cuh"
#include "set_lists.cuh"

namespace {

constexpr int kSampleRows = 2048;    // of either set
constexpr int kHeadChunk = 1 << 17;  // rows turned at a time

/// A row of `count`, evenly spread over `rows`, seen from the centre; all of them where both are equal.
__global__ void centre_rows(const float* x, int begin, int rows, int columns, int stride,
                            const double* centre, int count, float* out) {
  const int row = blockIdx.x;
  const float* const from = x + (begin + static_cast<long long>(row) * rows / count) * stride;
  for (int i = threadIdx.x; i < stride; i += blockDim.x)
    out[static_cast<std::size_t>(row) * stride + i] =
        i < columns ? static_cast<float>(from[i] - centre[i]) : 0.0f;
}
__global__ void random_axes(float* axes, int count, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count * columns) axes[i] = filter::sign_of(i * 7 + i / columns);
}
/// out[i][j] = sum over k of a[i][k] b[j][k], or of a[k][i] b[k][j] if kAcross; a thread an element.
template <bool kAcross>
__global__ void plain_product(const float* a, const float* b, int a_stride, int b_stride, int rows,
                              int columns, int inner, float* out, int out_stride) {
  __shared__ float left[16][17], right[16][17];
  const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int begin = 0; begin < inner; begin += 16) {
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * 16, column = blockIdx.x * 16;
    __syncthreads();
    if constexpr (kAcross) {
      left[y][x] = begin + y < inner && row + x < rows ? a[(begin + y) * a_stride + row + x] : 0;
      right[y][x] = begin + y < inner && column + x < columns ? b[(begin + y) * b_stride + column + x] : 0;
    } else {
      left[x][y] = begin + x < inner && row + y < rows ? a[(row + y) * a_stride + begin + x] : 0;
      right[x][y] = begin + x < inner && column + y < columns ? b[(column + y) * b_stride + begin + x] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += left[k][threadIdx.y] * right[k][threadIdx.x];
  }
  if (i < rows && j < columns) out[i * out_stride + j] = sum;
}

constexpr int kPanel = 16;  // axes made orthonormal by one block, in its shared memory

/// Makes some axes orthonormal, one after the other. `last`, for axes that are nearly so: one that loses half
/// its length is rounding alone and becomes 0, and all are a hair shorter than 1, so that what rounding to
/// float32 adds lengthens nothing.
__global__ void __launch_bounds__(512) make_orthonormal(double* axes, int columns, bool last, float* out) {
  extern __shared__ double panel[];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  double* const mine = panel + warp * columns;
  for (int k = lane; k < columns; k += 32) mine[k] = axes[warp * columns + k];
  __syncthreads();
  for (int i = 0; i < kPanel; ++i) {
    const double* const axis = panel + i * columns;
    if (warp == i) {
      double square = 0;
      for (int k = lane; k < columns; k += 32) square += mine[k] * mine[k];
      square = filter::warp_sum(square);
      const double factor = square > (last ? 0.25 : 0) ? 1 / sqrt(square) : 0;
      for (int k = lane; k < columns; k += 32) mine[k] *= factor;
    }
    __syncthreads();
    if (warp > i) {
      double product = 0;
      for (int k = lane; k < columns; k += 32) product += mine[k] * axis[k];
      product = filter::warp_sum(product);
      for (int k = lane; k < columns; k += 32) mine[k] -= product * axis[k];
    }
  }
  for (int k = lane; k < columns; k += 32) {
    axes[warp * columns + k] = mine[k];
    out[warp * columns + k] = static_cast<float>(mine[k] * (last ? 1 - 4e-6 : 1));
  }
}
/// Takes what lies along a panel off the axes behind it; a block an axis, a warp an axis of the panel.
__global__ void __launch_bounds__(512) leave_panel(const double* panel, int columns, double* axes) {
  __shared__ double products[kPanel];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  double* const axis = axes + static_cast<std::size_t>(blockIdx.x) * columns;
  double product = 0;
  for (int k = lane; k < columns; k += 32) product += panel[warp * columns + k] * axis[k];
  product = filter::warp_sum(product);
  if (lane == 0) products[warp] = product;
  __syncthreads();
  for (int k = threadIdx.x; k < columns; k += blockDim.x) {
    double left = axis[k];
    for (int i = 0; i < kPanel; ++i) left -= products[i] * panel[i * columns + k];
    axis[k] = left;
  }
}
void make_orthonormal(double* axes, int count, int columns, bool last, float* out) {
  const int bytes = kPanel * columns * 8;
  CHECK(cudaFuncSetAttribute(static_cast<void (*)(double*, int, bool, float*)>(make_orthonormal),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  for (int begin = 0; begin < count; begin += kPanel) {
    double* const panel = axes + static_cast<std::size_t>(begin) * columns;
    make_orthonormal<<<1, 32 * kPanel, bytes>>>(panel, columns, last,
                                                out + static_cast<std::size_t>(begin) * columns);
    const int behind = count - begin - kPanel;
    if (behind > 0) leave_panel<<<behind, 32 * kPanel>>>(panel, columns, panel + kPanel * columns);
  }
}
__global__ void widen(const float* from, int count, double* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i];
}

/// The head h as stored is off by e = `relative_error` times the length of the whole row at most. For true
/// heads a and b, |a|^2 >= |h|^2 - 2 |h| e and a.b <= h.h' + |h| e' + e |h'| + e e': so 2 (|h| + e) e comes
/// off the square of either row, and e is slack.
__global__ void widen_facts(const Fact* whole, float whole_scale, int rows, float relative_error, float scale,
                            Fact* facts) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float error = relative_error * whole[row].length * whole_scale / scale * 1.00001f;
  Fact fact = facts[row];
  fact.square -= 2 * (fact.length + error) * error * 1.00001f;
  fact.slack += error;
  fact.length += error;
  facts[row] = fact;
}

/// Of a product of so many columns in float32, along all axes, relative to the length of the row.
float turning_error(int columns, int axes) {
  return static_cast<float>((columns + 2) * 0x1.0p-24 * 1.001 * std::sqrt(axes) + 0x1.0p-23);
}

/// Finds axes from rows of both sets, and one scale for the heads.
void find_axes(Engine& engine) {
  Axes& axes = engine.axes;
  const int count = axes.count, columns = engine.columns, stride = engine.sets[0].stride,
            rows = 2 * kSampleRows;
  float* const next = axes.along + static_cast<std::size_t>(rows) * count;
  double* const wide = device<double>(static_cast<std::size_t>(count) * columns);
  for (int s = 0; s < 2; ++s)
    centre_rows<<<kSampleRows, 128>>>(engine.sets[s].given, 0, engine.sets[s].rows, columns, stride,
                                      engine.centre, kSampleRows,
                                      axes.centred + static_cast<std::size_t>(s) * kSampleRows * stride);
  random_axes<<<blocks_for(static_cast<std::size_t>(count) * columns), 256>>>(axes.axes, count, columns);
  const dim3 block(16, 16);
  const auto along = [&] {
    plain_product<false><<<dim3(count / 16, rows / 16), block>>>(axes.centred, axes.axes, stride, columns,
                                                                 rows, count, columns, axes.along, count);
  };
  constexpr int kTurns = 3;
  for (int turn = 0; turn < kTurns; ++turn) {
    along();
    plain_product<true><<<dim3((columns + 15) / 16, count / 16), block>>>(
        axes.along, axes.centred, count, stride, count, columns, rows, next, columns);
    widen<<<blocks_for(static_cast<std::size_t>(count) * columns), 256>>>(next, count * columns, wide);
    make_orthonormal(wide, count, columns, false, axes.axes);
  }
  make_orthonormal(wide, count, columns, true, axes.axes);
  f32::pack_weights<<<dim3(count / f32::kTile, (columns + f32::kSlab - 1) / f32::kSlab * f32::kSlab),
                      f32::kTile>>>(axes.axes, columns, columns, count, axes.panels);
  along();
  std::vector<float> heads = host(axes.along, static_cast<std::size_t>(rows) * count);
  std::vector<double> squares(rows);
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < count; ++i) {
      const double value = heads[static_cast<std::size_t>(row) * count + i];
      squares[row] += value * value;
    }
  std::ranges::nth_element(squares, squares.begin() + rows / 2);
  const double typical = std::max(std::sqrt(squares[rows / 2] / count), 1e-15);
  for (Set& set : engine.sets)
    set.head.space = {static_cast<float>(engine.clip * typical / 127),
                      static_cast<float>(engine.clip / 127 / std::sqrt(12.0) * 1.05), 2e-6f};
  CHECK(cudaFree(wide));
}

/// Codes of the heads of the rows in x; those of the whole rows are there.
void code_heads(Engine& engine, const Set& set) {
  const Axes& axes = engine.axes;
  const Coded& head = set.head;
  const auto multiply = f32::multiply<f32::Finish::none, true>;
  CHECK(cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize, f32::kProductBytes));
  for (int begin = 0; begin < set.padded; begin += kHeadChunk) {
    const int rows = std::max(0, std::min(kHeadChunk, set.rows - begin));
    const int padded = std::min(kHeadChunk, set.padded - begin);
    if (rows > 0) {
      centre_rows<<<rows, 128>>>(set.x, begin, rows, set.columns, set.stride, engine.centre, rows,
                                 axes.centred);
      f32::Product product{.rows = {},
                           .weights = axes.panels,
                           .bias = nullptr,
                           .residual = nullptr,
                           .out = axes.along,
                           .residual_stride = 0,
                           .out_stride = static_cast<std::size_t>(axes.count),
                           .count = rows,
                           .inputs = set.columns,
                           .outputs = axes.count,
                           .scale = 1};
      if (!f32::map_rows(axes.centred, rows, set.columns, set.stride, &product.rows))
        std::printf("the driver makes no tensor map\n"), std::exit(1);
      multiply<<<dim3(axes.count / f32::kTile, blocks_for(rows, f32::kTile)), 128, f32::kProductBytes>>>(
          product);
    }
    filter::code_rows<<<blocks_for(padded, 4), 128, 4 * head.columns * 4>>>(
        axes.along, rows, padded, axes.count, axes.count, head.columns, axes.zero, head.space,
        head.codes + static_cast<std::size_t>(begin) * head.columns, head.facts + begin);
  }
  widen_facts<<<blocks_for(set.rows), 256>>>(set.coded.facts, set.coded.space.scale, set.rows,
                                             turning_error(set.columns, axes.count), head.space.scale,
                                             head.facts);
}

}  // namespace
