// Runs a whole BERT-like encoder in float32 with the CPU's bits on one Hopper GPU and writes the vectors as
// `markeval embed` does: the files are to be equal to the byte.
//
//   encoder_f32 MODEL IDS VECTORS.npy [TOKENS [LINES]]
//
// MODEL and IDS: files of pack_model.py (heads of 32 columns). TOKENS of a batch (65536).
#include <algorithm>
#include <chrono>
#include <string>

#include "encoder_model.hpp"
#include "f32_layer.cuh"

namespace {

using namespace f32;
using encoder::Floats;

struct Weights {
  float *qkv, *out, *up, *down, *qkv_bias, *out_bias, *up_bias, *down_bias, *gain1, *bias1, *gain2, *bias2;
};

class Encoder {
 public:
  Encoder(const encoder::Model& model, int most_tokens) : shape_(model.shape) {
    const int h = shape_.hidden, inner = shape_.inner;
    words_ = upload(model.words), positions_ = upload(model.positions), type_ = upload(model.type);
    gain_ = upload(model.gain), bias_ = upload(model.bias);
    const auto packed = [](const Floats& weights, int inputs) { return upload(to_panels(weights, inputs)); };
    for (const encoder::LayerWeights& l : model.layers)
      layers_.push_back({packed(l.qkv, h), packed(l.out, h), packed(l.up, h), packed(l.down, inner),
                         upload(l.qkv_bias), upload(l.out_bias), upload(l.up_bias), upload(l.down_bias),
                         upload(l.gain1), upload(l.bias1), upload(l.gain2), upload(l.bias2)});
    const std::size_t rows = (most_tokens + kPanel - 1) / kPanel * kPanel;
    const auto take = [&](auto*& to, std::size_t count) {
      CHECK(cudaMalloc(&to, count * 4));
      CHECK(cudaMemset(to, 0, count * 4));
    };
    take(states_, rows * h), take(qkv_, rows * 3 * h), take(context_, rows * h), take(wide_, rows * inner);
    take(ids_, rows), take(places_, rows), take(starts_, rows + 1), take(pooled_, rows * h);
  }

  void encode(const int* ids, const int* starts, int sequences, float* out) {
    const int tokens = starts[sequences] - starts[0], panels = (tokens + kPanel - 1) / kPanel;
    const int h = shape_.hidden, inner = shape_.inner;
    std::vector<int> local(sequences + 1), places(tokens);
    int longest = 0;
    for (int i = 0; i <= sequences; ++i) local[i] = starts[i] - starts[0];
    for (int i = 0; i < sequences; ++i) {
      longest = std::max(longest, local[i + 1] - local[i]);
      for (int token = local[i]; token < local[i + 1]; ++token) places[token] = token - local[i];
    }
    CHECK(cudaMemcpy(ids_, ids, tokens * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(places_, places.data(), tokens * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(starts_, local.data(), local.size() * 4, cudaMemcpyHostToDevice));
    const auto norm = [&](const float* gain, const float* bias) {
      layer_norm<<<panels, kPanel>>>(states_, gain, bias, encoder::kEpsilon, h);
    };
    embed<<<panels, kPanel>>>(ids_, places_, tokens, words_, positions_, type_, h, states_);
    norm(gain_, bias_);
    for (const Weights& l : layers_) {
      product<Finish::plain>(panels, states_, l.qkv, l.qkv_bias, nullptr, qkv_, h, 3 * h);
      attend(qkv_, starts_, sequences, longest, shape_.heads, context_);
      product<Finish::residual>(panels, context_, l.out, l.out_bias, states_, states_, h, h);
      norm(l.gain1, l.bias1);
      product<Finish::gelu>(panels, states_, l.up, l.up_bias, nullptr, wide_, h, inner);
      product<Finish::residual>(panels, wide_, l.down, l.down_bias, states_, states_, inner, h);
      norm(l.gain2, l.bias2);
    }
    pool<<<sequences, h, h * 4>>>(states_, starts_, h, pooled_);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, pooled_, static_cast<std::size_t>(sequences) * h * 4, cudaMemcpyDeviceToHost));
  }

 private:
  encoder::Shape shape_;
  float *words_, *positions_, *type_, *gain_, *bias_;
  std::vector<Weights> layers_;
  float *states_, *qkv_, *context_, *wide_, *pooled_;
  int *ids_, *places_, *starts_;
};

void write_npy(const std::string& file, const std::vector<float>& values, std::size_t columns) {
  std::string head = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                     std::to_string(values.size() / columns) + ", " + std::to_string(columns) + "), }";
  head.resize(117, ' ');
  head += '\n';
  std::ofstream out(file, std::ios::binary);
  out.write("\x93NUMPY\x01\x00v\x00", 10);
  out.write(head.data(), static_cast<std::streamsize>(head.size()));
  out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * 4));
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  if (argc < 4) return std::printf("encoder_f32 MODEL IDS VECTORS.npy [TOKENS [LINES]]\n"), 2;
  const encoder::Model model = encoder::read_model(argv[1]);
  const encoder::Lines lines = encoder::read_lines(argv[2]);
  const int most_tokens = argc > 4 ? std::atoi(argv[4]) : 65536;
  const int count =
      std::min(static_cast<int>(lines.starts.size()) - 1, argc > 5 ? std::atoi(argv[5]) : 1 << 30);
  Encoder encoder(model, most_tokens);
  std::vector<float> vectors(static_cast<std::size_t>(count) * model.shape.hidden);
  // Lines of one length side by side: attention takes memory for the longest of a batch.
  std::vector<int> order(count);
  for (int i = 0; i < count; ++i) order[i] = i;
  const auto length = [&](int line) { return lines.starts[line + 1] - lines.starts[line]; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return length(a) < length(b); });
  const std::size_t hidden = model.shape.hidden;
  for (int turn = 0; turn < 2; ++turn) {
    const auto begin_time = std::chrono::steady_clock::now();
    std::vector<int> ids, starts;
    std::vector<float> batch;
    for (int begin = 0; begin < count;) {
      int end = begin;
      ids.clear();
      starts.assign(1, 0);
      for (; end < count && starts.back() + length(order[end]) <= most_tokens; ++end) {
        ids.insert(ids.end(), lines.ids.begin() + lines.starts[order[end]],
                   lines.ids.begin() + lines.starts[order[end] + 1]);
        starts.push_back(static_cast<int>(ids.size()));
      }
      batch.resize((end - begin) * hidden);
      encoder.encode(ids.data(), starts.data(), end - begin, batch.data());
      for (int i = begin; i < end; ++i)
        std::copy_n(batch.data() + (i - begin) * hidden, hidden, vectors.data() + order[i] * hidden);
      begin = end;
    }
    const double time = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_time).count();
    if (turn == 1)
      std::printf("%d lines in batches of %d tokens: %.3f s, %.0f lines/s\n", count, most_tokens, time,
                  count / time);
  }
  write_npy(argv[3], vectors, model.shape.hidden);
}
