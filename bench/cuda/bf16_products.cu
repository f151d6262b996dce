// Tries the bf16 products of MiniLM and BERT-base on one Hopper GPU: wgmma from tiles that the copy engine
// brings, bias and activation in the same kernel, rows written as bf16. Checks a sample of elements, then
// times all shapes.
#include <cuda_bf16.h>
#include <algorithm>
#include <cmath>
#include <vector>

#include "hopper.cuh"

namespace {

using namespace hopper;

constexpr int kRows = 128, kColumns = 192, kDepth = 64,
              kStages = 5;  // 192 divides every width of both models
constexpr int kRowBytes = kRows * kDepth * 2, kColumnBytes = kColumns * kDepth * 2;

struct Stages {
  alignas(1024) char rows[kStages][kRowBytes];
  alignas(1024) char columns[kStages][kColumnBytes];
  std::uint64_t full[kStages], empty[kStages];
};

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

/// out = finish(in * transposed(weights) + bias). A persistent grid of clusters of two blocks that share the
/// tile of weights; two warpgroups of 64 rows each go their own way, so one writes while the other
/// multiplies.
template <bool kGelu, bool kResidual>
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(384, 1)
    multiply(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap weights,
             const float* bias, const __nv_bfloat16* residual, __nv_bfloat16* out, int rows, int inputs,
             int outputs) {
  extern __shared__ __align__(1024) char memory[];
  auto& stages = *reinterpret_cast<Stages*>(memory);
  const int role = threadIdx.x / 128;
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
          const std::size_t place = row * outputs + column0 + 8 * (group + lane % 4);
          uint4 value = make_uint4(words[0], words[1], words[2], words[3]);
          if constexpr (kResidual) {
            const uint4 rest = *reinterpret_cast<const uint4*>(residual + place);
            auto* const to = reinterpret_cast<__nv_bfloat162*>(&value);
            const auto* const from = reinterpret_cast<const __nv_bfloat162*>(&rest);
#pragma unroll
            for (int i = 0; i < 4; ++i) to[i] = __hadd2(to[i], from[i]);
          }
          *reinterpret_cast<uint4*>(out + place) = value;
        }
      }
      __syncwarp();
    }
  }
  sync_cluster();
}

__global__ void fill(__nv_bfloat16* out, std::size_t count, std::uint32_t seed, float size) {
  for (std::size_t i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) {
    std::uint32_t h = static_cast<std::uint32_t>(i) * 2654435761u + seed;
    h ^= h >> 15, h *= 0x85ebca6bu, h ^= h >> 13;
    out[i] = __float2bfloat16((static_cast<float>(h >> 8) / 8388608.0f - 1) * size);
  }
}

template <bool kGelu, bool kResidual>
double time_product(int rows, int inputs, int outputs) {
  __nv_bfloat16 *in, *weights, *out, *rest;
  float* bias;
  const std::size_t sizes[3] = {static_cast<std::size_t>(rows) * inputs,
                                static_cast<std::size_t>(outputs) * inputs,
                                static_cast<std::size_t>(rows) * outputs};
  CHECK(cudaMalloc(&in, sizes[0] * 2));
  CHECK(cudaMalloc(&weights, sizes[1] * 2));
  CHECK(cudaMalloc(&out, sizes[2] * 2));
  CHECK(cudaMalloc(&rest, sizes[2] * 2));
  CHECK(cudaMalloc(&bias, outputs * 4));
  fill<<<1024, 256>>>(in, sizes[0], 1, 1.5f);
  fill<<<1024, 256>>>(weights, sizes[1], 2, 0.1f);
  fill<<<1024, 256>>>(rest, sizes[2], 3, 1.0f);
  std::vector<float> shifts(outputs);
  for (int i = 0; i < outputs; ++i) shifts[i] = static_cast<float>(i % 17) * 0.05f;
  CHECK(cudaMemcpy(bias, shifts.data(), outputs * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(out, 0xff, sizes[2] * 2));
  const CUtensorMap in_map = tensor_map(in, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, inputs, rows, kRows);
  const CUtensorMap weight_map =
      tensor_map(weights, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, inputs, outputs, kColumns / 2);
  const auto kernel = multiply<kGelu, kResidual>;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Stages)));
  std::vector<float> times;
  for (int i = 0; i < 12; ++i) {
    Clock clock;
    kernel<<<132, 384, sizeof(Stages)>>>(in_map, weight_map, bias, rest, out, rows, inputs, outputs);
    times.push_back(clock.stop());
  }
  std::sort(times.begin(), times.end());

  std::vector<__nv_bfloat16> a(inputs), b(inputs);
  double worst = 0;
  for (int sample = 0; sample < 300; ++sample) {
    const std::size_t row = static_cast<std::size_t>(sample) * 7919 % rows,
                      column = static_cast<std::size_t>(sample) * 131 % outputs;
    __nv_bfloat16 got, plus;
    CHECK(cudaMemcpy(a.data(), in + row * inputs, inputs * 2, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(b.data(), weights + column * inputs, inputs * 2, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&got, out + row * outputs + column, 2, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&plus, rest + row * outputs + column, 2, cudaMemcpyDeviceToHost));
    double sum = shifts[column];
    for (int i = 0; i < inputs; ++i)
      sum += static_cast<double>(__bfloat162float(a[i])) * __bfloat162float(b[i]);
    if (kGelu) sum = sum * std::erfc(-sum / std::sqrt(2.0)) / 2;
    if (kResidual) sum += __bfloat162float(plus);
    const double error = std::fabs(sum - __bfloat162float(got)) / (1 + std::fabs(sum));
    worst = error <= worst ? worst : error;
  }
  std::printf("  %d x %4d -> %4d%s%s: %7.3f ms, %4.0f TFLOP/s, worst error of 300 %.4f\n", rows, inputs,
              outputs, kGelu ? ", gelu" : "", kResidual ? " + rest" : "", times[6],
              2.0 * rows * inputs * outputs / times[6] / 1e9, worst);
  for (void* memory : {static_cast<void*>(in), static_cast<void*>(weights), static_cast<void*>(out),
                       static_cast<void*>(rest), static_cast<void*>(bias)})
    CHECK(cudaFree(memory));
  return times[6];
}

void time_model(const char* name, int rows, int hidden, int inner, int layers) {
  std::printf("%s, %d tokens\n", name, rows);
  const double ms =
      time_product<false, false>(rows, hidden, 3 * hidden) + time_product<false, true>(rows, hidden, hidden) +
      time_product<true, false>(rows, hidden, inner) + time_product<false, true>(rows, inner, hidden);
  std::printf("  products of a layer %.3f ms, %.0f TFLOP/s; products alone: %.0f sentences/s of 28 tokens\n",
              ms, 2.0 * rows * (4.0 * hidden * hidden + 2.0 * hidden * inner) / ms / 1e9,
              rows / 28.0 / (ms * layers) * 1e3);
}

}  // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  time_model("MiniLM-L6", 66 * 1024, 384, 1536, 6);
  time_model("BERT-base", 66 * 1024, 768, 3072, 12);
}
