// Tries greedy matching for bertscore on one GPU: largest cosines of the tokens of many pairs of texts, every
// bit held against plain loops on the host for some pairs, then pairs per second.
//
//   greedy_match PAIRS COLUMNS
#include <algorithm>
#include <cmath>
#include <vector>

#include "encoder_model.hpp"
#include "greedy_match.cuh"
#include "hopper.cuh"

namespace {

/// A warp a row: random, of length 1; every 97th row is zero, every 31st equals the one before it.
__global__ void make_rows(float* rows, int count, int columns) {
  const int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= count) return;
  const int source = row % 31 == 30 ? row - 1 : row;
  float squares = 0;
  const auto value = [&](int column) {
    std::uint32_t h = (source % 50000 * 1024 + column) * 2654435761u + source / 50000;
    h ^= h >> 15, h *= 0x85ebca6bu, h ^= h >> 13;
    return source % 97 == 96 ? 0.0f
                             : static_cast<float>(h >> 8) / 8388608.0f - 1 + (column < 8 ? 1.5f : 0.0f);
  };
  for (int column = lane; column < columns; column += 32) squares += value(column) * value(column);
  for (int step = 16; step > 0; step /= 2) squares += __shfl_xor_sync(~0u, squares, step);
  const float length = fmaxf(sqrtf(squares), 1e-12f);
  for (int column = lane; column < columns; column += 32)
    rows[static_cast<std::size_t>(row) * columns + column] = value(column) / length;
}

/// compute/cpu/row_matching.cpp, plainly.
float cosine(const float* a, const float* b, int columns) {
  float sums[16] = {};
  bool a_zero = true, b_zero = true;
  for (int i = 0; i < columns; ++i) {
    sums[i % 16] += (a[i] - b[i]) * (a[i] - b[i]);
    a_zero &= a[i] == 0, b_zero &= b[i] == 0;
  }
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
  return a_zero || b_zero ? 0.0f : std::max(-1.0f, 1 - sums[0] / 2);
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 100000, columns = argc > 2 ? std::atoi(argv[2]) : 384;
  const std::vector<int> starts = encoder::make_lines(2 * pairs, 1000).starts;
  const int rows = starts.back();
  int most = 0;
  for (int pair = 0; pair < pairs; ++pair) most = std::max(most, starts[2 * pair + 2] - starts[2 * pair]);
  float *device_rows, *device_best;
  int* device_starts;
  CHECK(cudaMalloc(&device_rows, static_cast<std::size_t>(rows) * columns * 4));
  CHECK(cudaMalloc(&device_best, rows * 4));
  CHECK(cudaMalloc(&device_starts, starts.size() * 4));
  CHECK(cudaMemset(device_best, 0xff, rows * 4));
  CHECK(cudaMemcpy(device_starts, starts.data(), starts.size() * 4, cudaMemcpyHostToDevice));
  make_rows<<<(rows + 7) / 8, 256>>>(device_rows, rows, columns);
  const match::Texts texts{device_rows, device_starts, columns};
  std::vector<float> times;
  for (int turn = 0; turn < 7; ++turn) {
    hopper::Clock clock;
    match::best_cosines<<<pairs, match::kMatchThreads, most * 4>>>(texts, device_best);
    times.push_back(clock.stop());
  }
  std::sort(times.begin(), times.end());

  int wrong = 0, checked = 0;
  for (int pair = 0; pair < pairs; pair += std::max(1, pairs / 200)) {
    const int begin = starts[2 * pair], middle = starts[2 * pair + 1], end = starts[2 * pair + 2];
    std::vector<float> values(static_cast<std::size_t>(end - begin) * columns), got(end - begin);
    CHECK(cudaMemcpy(values.data(), device_rows + static_cast<std::size_t>(begin) * columns,
                     values.size() * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(got.data(), device_best + begin, got.size() * 4, cudaMemcpyDeviceToHost));
    for (int row = begin; row < end; ++row) {
      float expected = -2;
      for (int other = row < middle ? middle : begin; other < (row < middle ? end : middle); ++other)
        expected = std::max(
            expected, cosine(values.data() + static_cast<std::size_t>(row - begin) * columns,
                             values.data() + static_cast<std::size_t>(other - begin) * columns, columns));
      wrong += got[row - begin] != expected;
      ++checked;
    }
  }
  std::printf(
      "%d pairs of %.1f tokens a text, %d columns: %.2f ms, %.0f pairs/s; of %d rows checked %d wrong\n",
      pairs, rows / 2.0 / pairs, columns, times[3], pairs / times[3] * 1e3, checked, wrong);
  return wrong == 0 ? 0 : 1;
}
