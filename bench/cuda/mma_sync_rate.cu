// The most that int8 products through mma.sync (m16n8k32) can give on this card: operands stay in registers,
// nothing is loaded or looked at. What the filter's wgmma is to be compared with.
#include "hopper.cuh"

namespace {

constexpr int kTiles = 16, kTurns = 4096;  // sums of a warp side by side

__global__ void multiply(int* out) {
  int sums[kTiles][4] = {};
  int a[4], b[2];
  for (int i = 0; i < 4; ++i) a[i] = static_cast<int>(threadIdx.x * 2654435761u + i * 40503u);
  for (int i = 0; i < 2; ++i) b[i] = static_cast<int>(threadIdx.x * 2246822519u + i * 3266489917u);
  for (int turn = 0; turn < kTurns; ++turn) {
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile)
      asm volatile(
          "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
          "{%0,%1,%2,%3};"
          : "+r"(sums[tile][0]), "+r"(sums[tile][1]), "+r"(sums[tile][2]), "+r"(sums[tile][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  int all = 0;
  for (int tile = 0; tile < kTiles; ++tile)
    all += sums[tile][0] + sums[tile][1] + sums[tile][2] + sums[tile][3];
  out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

}  // namespace

int main() {
  int* out = nullptr;
  CHECK(cudaMalloc(&out, 264 * 256 * 4));
  float ms = 0;
  for (int turn = 0; turn < 3; ++turn) {
    hopper::Clock clock;
    multiply<<<264, 256>>>(out);
    ms = clock.stop();
  }
  std::printf("mma.sync int8 from registers: %.0f TOP/s\n",
              264.0 * 8 * kTiles * kTurns * 16 * 8 * 32 * 2 / ms / 1e9);
}
