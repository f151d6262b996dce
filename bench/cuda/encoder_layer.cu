// Tries a MiniLM layer in float32 with the CPU's bits on one Hopper GPU: every product one chain of fused
// multiply-adds, softmax, gelu and layer norm by the CPU's sums and polynomials. Compares with
// layer_reference's file, then times.
//
//   encoder_layer REFERENCE
//
// Activations live in panels of 128 tokens, column after column inside a panel. So a slab of 16 columns of a
// panel is one piece of 8 KiB, which one bulk copy brings in the order the product wants; a thread that owns
// a row reads along with its neighbours; and nothing is transposed anywhere. Weights are packed once into
// panels of 128 outputs.
#include <algorithm>
#include <string>
#include <vector>

#include "encoder_math.cuh"
#include "hopper.cuh"
#include "layer_data.hpp"

namespace {

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
              float* out) {
  using namespace layer;
  extern __shared__ float memory[];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int item = blockIdx.x * 4 + warp, sequence = item / kHeads, head = item % kHeads;
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
      keys[token * 32 + (i ^ (token % 8 * 4))] =
          *at(qkv, 3 * kHidden, kHidden + head * 32 + i, begin + token);
      values[token * 32 + (i ^ (token % 8 * 4))] =
          *at(qkv, 3 * kHidden, 2 * kHidden + head * 32 + i, begin + token);
    }
  }
  __syncwarp();
  for (int first = 0; first < length; first += 32) {
    const int query = min(first + lane, length - 1);
    float q[32];
#pragma unroll
    for (int i = 0; i < 32; ++i) q[i] = *at(qkv, 3 * kHidden, head * 32 + i, begin + query);
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
      score = score * kScale;
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
        *const_cast<float*>(at(out, kHidden, head * 32 + i, begin + query)) = sum[i] * share;
    __syncwarp();
  }
}

float* upload(const std::vector<float>& values) {
  float* result = nullptr;
  CHECK(cudaMalloc(&result, values.size() * 4));
  CHECK(cudaMemcpy(result, values.data(), values.size() * 4, cudaMemcpyHostToDevice));
  return result;
}
/// Row-major to panels: also the packing of weights.
std::vector<float> to_panels(const std::vector<float>& rows, int columns) {
  const std::size_t count = rows.size() / columns, panels = (count + kPanel - 1) / kPanel;
  std::vector<float> result(panels * kPanel * columns);
  for (std::size_t row = 0; row < count; ++row)
    for (int column = 0; column < columns; ++column)
      result[(row / kPanel * columns + column) * kPanel + row % kPanel] = rows[row * columns + column];
  return result;
}

struct Layer {
  layer::Weights weights;
  float *qkv = upload(to_panels(weights.qkv, layer::kHidden)),
        *out = upload(to_panels(weights.out, layer::kHidden));
  float *up = upload(to_panels(weights.up, layer::kHidden)),
        *down = upload(to_panels(weights.down, layer::kInner));
  float *qkv_bias = upload(weights.qkv_bias), *out_bias = upload(weights.out_bias),
        *up_bias = upload(weights.up_bias);
  float *down_bias = upload(weights.down_bias), *gain1 = upload(weights.gain1),
        *bias1 = upload(weights.bias1);
  float *gain2 = upload(weights.gain2), *bias2 = upload(weights.bias2);
};

struct Batch {
  int panels = 0, sequences = 0, longest = 0;
  int* starts = nullptr;
  float *states = nullptr, *qkv = nullptr, *context = nullptr, *wide = nullptr;
  Batch(const std::vector<int>& places, const std::vector<float>& input) {
    panels = (places.back() + kPanel - 1) / kPanel;
    sequences = static_cast<int>(places.size()) - 1;
    for (int i = 0; i < sequences; ++i) longest = std::max(longest, places[i + 1] - places[i]);
    CHECK(cudaMalloc(&starts, places.size() * 4));
    CHECK(cudaMemcpy(starts, places.data(), places.size() * 4, cudaMemcpyHostToDevice));
    states = upload(to_panels(input, layer::kHidden));
    const std::size_t rows = static_cast<std::size_t>(panels) * kPanel;
    CHECK(cudaMalloc(&qkv, rows * 3 * layer::kHidden * 4));
    CHECK(cudaMalloc(&context, rows * layer::kHidden * 4));
    CHECK(cudaMalloc(&wide, rows * layer::kInner * 4));
    CHECK(cudaMemset(context, 0, rows * layer::kHidden * 4));
  }
};

template <Finish kFinish>
void product(const Batch& batch, const float* in, const float* weights, const float* bias,
             const float* residual, float* out, int inputs, int outputs) {
  constexpr int kBytes = kStages * 2 * kPanel * kSlab * 4;
  CHECK(cudaFuncSetAttribute(multiply<kFinish>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  multiply<kFinish><<<dim3(outputs / kPanel, batch.panels), 128, kBytes>>>(in, weights, bias, residual, out,
                                                                           inputs, outputs);
}
void attend(const Batch& batch) {
  const int bytes = 4 * batch.longest * 3 * 32 * 4;
  CHECK(cudaFuncSetAttribute(attention, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  attention<<<(batch.sequences * layer::kHeads + 3) / 4, 128, bytes>>>(
      batch.qkv, batch.starts, batch.sequences, batch.longest, batch.context);
}
void norm(const Batch& batch, const float* gain, const float* bias) {
  layer_norm<<<batch.panels, kPanel>>>(batch.states, gain, bias, layer::kEpsilon, layer::kHidden);
}
void run(const Layer& l, const Batch& b) {
  using namespace layer;
  product<Finish::plain>(b, b.states, l.qkv, l.qkv_bias, nullptr, b.qkv, kHidden, 3 * kHidden);
  attend(b);
  product<Finish::residual>(b, b.context, l.out, l.out_bias, b.states, b.states, kHidden, kHidden);
  norm(b, l.gain1, l.bias1);
  product<Finish::gelu>(b, b.states, l.up, l.up_bias, nullptr, b.wide, kHidden, kInner);
  product<Finish::residual>(b, b.wide, l.down, l.down_bias, b.states, b.states, kInner, kHidden);
  norm(b, l.gain2, l.bias2);
  CHECK(cudaGetLastError());
}

/// Median milliseconds of nine.
template <typename Work>
double time_of(Work work) {
  work();
  std::vector<float> times;
  for (int i = 0; i < 9; ++i) {
    hopper::Clock clock;
    work();
    times.push_back(clock.stop());
  }
  std::sort(times.begin(), times.end());
  return times[4];
}

}  // namespace

int main(int argc, char** argv) {
  using namespace layer;
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  const Layer weights;
  if (argc > 1) {
    const std::vector<int> starts = test_starts();
    const int tokens = starts.back();
    const Batch batch(starts, test_states(tokens));
    run(weights, batch);
    std::vector<float> panels(static_cast<std::size_t>(batch.panels) * kPanel * kHidden),
        expected(tokens * kHidden);
    CHECK(cudaMemcpy(panels.data(), batch.states, panels.size() * 4, cudaMemcpyDeviceToHost));
    std::FILE* const file = std::fopen(argv[1], "rb");
    if (file == nullptr || std::fread(expected.data(), 4, expected.size(), file) != expected.size())
      return std::printf("%s: not the reference\n", argv[1]), 1;
    int differ = 0;
    for (int token = 0; token < tokens; ++token)
      for (int column = 0; column < kHidden; ++column)
        differ += encoder::bits_of(panels[(token / kPanel * kHidden + column) * kPanel + token % kPanel]) !=
                  encoder::bits_of(expected[token * kHidden + column]);
    std::printf("%d tokens, %d numbers: %d differ from the CPU's bits\n", tokens, tokens * kHidden, differ);
  }
  std::vector<int> starts{0};  // 28 tokens on average, 14 to 42
  while (starts.back() < 65536 - 64)
    starts.push_back(starts.back() + 14 + static_cast<int>(starts.size() * 7919 % 29));
  const Batch batch(starts, test_states(starts.back()));
  const double tokens = starts.back(), rows = batch.panels * kPanel;
  const auto rate = [&](const char* name, int inputs, int outputs, double ms) {
    std::printf("  %-26s %8.3f ms, %5.1f TFLOP/s\n", name, ms, 2 * rows * inputs * outputs / ms / 1e9);
  };
  rate("product 384 -> 1152", kHidden, 3 * kHidden, time_of([&] {
         product<Finish::plain>(batch, batch.states, weights.qkv, weights.qkv_bias, nullptr, batch.qkv,
                                kHidden, 3 * kHidden);
       }));
  rate("product 384 -> 384 + rest", kHidden, kHidden, time_of([&] {
         product<Finish::residual>(batch, batch.context, weights.out, weights.out_bias, batch.states,
                                   batch.states, kHidden, kHidden);
       }));
  rate("product 384 -> 1536, gelu", kHidden, kInner, time_of([&] {
         product<Finish::gelu>(batch, batch.states, weights.up, weights.up_bias, nullptr, batch.wide, kHidden,
                               kInner);
       }));
  rate("product 1536 -> 384 + rest", kInner, kHidden, time_of([&] {
         product<Finish::residual>(batch, batch.wide, weights.down, weights.down_bias, batch.states,
                                   batch.states, kInner, kHidden);
       }));
  std::printf("  attention %.3f ms, layer norm %.3f ms\n", time_of([&] { attend(batch); }),
              time_of([&] { norm(batch, weights.gain1, weights.bias1); }));
  const double ms = time_of([&] { run(weights, batch); });
  std::printf("  layer of %.0f tokens, %d sentences: %.3f ms; six layers: %.0f sentences/s\n", tokens,
              batch.sequences, ms, batch.sequences / (6 * ms) * 1e3);
}
