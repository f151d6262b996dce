// Tries a MiniLM layer in float32 with the CPU's bits on one Hopper GPU: compares with layer_reference's
// file, then times its parts.
//
//   encoder_layer REFERENCE
#include <algorithm>
#include <vector>

#include "f32_layer.cuh"
#include "layer_data.hpp"

namespace {

using f32::Finish;
using f32::kPanel;
using f32::product;
using f32::to_panels;
using f32::upload;

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

void norm(const Batch& batch, const float* gain, const float* bias) {
  f32::layer_norm<<<batch.panels, kPanel>>>(batch.states, gain, bias, layer::kEpsilon, layer::kHidden);
}
void attend(const Batch& b) {
  f32::attend(b.qkv, b.starts, b.sequences, b.longest, layer::kHeads, b.context);
}
void run(const Layer& l, const Batch& b) {
  using namespace layer;
  product<Finish::plain>(b.panels, b.states, l.qkv, l.qkv_bias, nullptr, b.qkv, kHidden, 3 * kHidden);
  attend(b);
  product<Finish::residual>(b.panels, b.context, l.out, l.out_bias, b.states, b.states, kHidden, kHidden);
  norm(b, l.gain1, l.bias1);
  product<Finish::gelu>(b.panels, b.states, l.up, l.up_bias, nullptr, b.wide, kHidden, kInner);
  product<Finish::residual>(b.panels, b.wide, l.down, l.down_bias, b.states, b.states, kInner, kHidden);
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
         product<Finish::plain>(batch.panels, batch.states, weights.qkv, weights.qkv_bias, nullptr, batch.qkv,
                                kHidden, 3 * kHidden);
       }));
  rate("product 384 -> 384 + rest", kHidden, kHidden, time_of([&] {
         product<Finish::residual>(batch.panels, batch.context, weights.out, weights.out_bias, batch.states,
                                   batch.states, kHidden, kHidden);
       }));
  rate("product 384 -> 1536, gelu", kHidden, kInner, time_of([&] {
         product<Finish::gelu>(batch.panels, batch.states, weights.up, weights.up_bias, nullptr, batch.wide,
                               kHidden, kInner);
       }));
  rate("product 1536 -> 384 + rest", kInner, kHidden, time_of([&] {
         product<Finish::residual>(batch.panels, batch.wide, weights.down, weights.down_bias, batch.states,
                                   batch.states, kInner, kHidden);
       }));
  std::printf("  attention %.3f ms, layer norm %.3f ms\n", time_of([&] { attend(batch); }),
              time_of([&] { norm(batch, weights.gain1, weights.bias1); }));
  const double ms = time_of([&] { run(weights, batch); });
  std::printf("  layer of %.0f tokens, %d sentences: %.3f ms; six layers: %.0f sentences/s\n", tokens,
              batch.sequences, ms, batch.sequences / (6 * ms) * 1e3);
}
