// Tries a whole encoder in bf16: the same bits for any batch and order first, then sentences per second from
// token ids in the host's memory to vectors there, and where the time goes.
//
//   encoder_bf16 MODEL|minilm|bert-base IDS|made LINES [TOKENS [SLOTS [VECTORS]]]
//
// MODEL and IDS: files of pack_model.py. TOKENS of a batch (16896), SLOTS: batches under way. VECTORS: a file
// for the float32 vectors of the first lines (20,000 at most), and beside it the model as it was used
// (VECTORS.model) where it was made up.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>

#include "bf16_encoder.cuh"

namespace {

using namespace bf16;

template <typename T>
T* pinned(std::size_t count) {
  T* result = nullptr;
  CHECK(cudaHostAlloc(&result, count * sizeof(T), cudaHostAllocDefault));
  return result;
}
double seconds() {
  CHECK(cudaDeviceSynchronize());
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Numbers that differ between batches of two sizes, and between two orders of the lines.
void check_bits(const DeviceModel& model, const Lines& lines, int tokens) {
  const std::size_t count = std::min<std::size_t>(lines.starts.size() - 1, 3000), hidden = model.shape.hidden;
  Lines back;
  for (std::size_t i = count; i-- > 0;) {
    back.ids.insert(back.ids.end(), lines.ids.begin() + lines.starts[i],
                    lines.ids.begin() + lines.starts[i + 1]);
    back.starts.push_back(static_cast<int>(back.ids.size()));
  }
  const std::vector<int> starts(lines.starts.begin(), lines.starts.begin() + count + 1);
  int* const ids = pinned<int>(back.ids.size());
  float* const vectors[3] = {pinned<float>(count * hidden), pinned<float>(count * hidden),
                             pinned<float>(count * hidden)};
  Encoder usual(model, tokens, 2), small(model, 2048, 1);
  std::copy(lines.ids.begin(), lines.ids.begin() + starts.back(), ids);
  usual.encode(ids, starts, vectors[0]);
  small.encode(ids, starts, vectors[1]);
  std::copy(back.ids.begin(), back.ids.end(), ids);
  usual.encode(ids, back.starts, vectors[2]);
  std::size_t size_differs = 0, order_differs = 0;
  double worst = 0;
  for (std::size_t i = 0; i < count; ++i) {
    size_differs += std::memcmp(vectors[0] + i * hidden, vectors[1] + i * hidden, hidden * 4) != 0;
    order_differs +=
        std::memcmp(vectors[0] + i * hidden, vectors[2] + (count - 1 - i) * hidden, hidden * 4) != 0;
    double square = 0;
    for (std::size_t j = 0; j < hidden; ++j)
      square += static_cast<double>(vectors[0][i * hidden + j]) * vectors[0][i * hidden + j];
    worst = std::fabs(square - 1) <= worst ? worst : std::fabs(square - 1);
  }
  std::printf(
      "  %zu lines: vectors that differ in batches of 2,048 tokens %zu, in reverse order %zu; "
      "lengths off 1 by %.1e at most\n",
      count, size_differs, order_differs, worst);
}

template <typename Step>
double time_of(Slot& slot, Step step) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  constexpr int kTurns = 20;
  step();
  CHECK(cudaEventRecord(begin, slot.stream));
  for (int i = 0; i < kTurns; ++i) step();
  CHECK(cudaEventRecord(end, slot.stream));
  CHECK(cudaEventSynchronize(end));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  return ms * 1e3 / kTurns;
}
/// Microseconds of the steps of a batch, one after the other.
void time_steps(const DeviceModel& model, Slot& slot) {
  const DeviceLayer& l = model.layers[0];
  const double tokens = slot.head[0], h = model.shape.hidden, inner = model.shape.inner;
  const auto print = [&](const char* name, double us, double operations) {
    std::printf("    %-16s %7.1f us", name, us);
    if (operations > 0) std::printf(", %4.0f TFLOP/s", operations / us / 1e6);
    std::printf("\n");
  };
  std::printf("  steps of a batch of %.0f tokens in %d lines:\n", tokens, slot.head[1]);
  print("embeddings", time_of(slot, [&] { slot.run_embed(); }), 0);
  print("qkv", time_of(slot, [&] { slot.run_qkv(l); }), 6 * tokens * h * h);
  print("attention", time_of(slot, [&] { slot.run_attention(); }), 0);
  print("out + norm", time_of(slot, [&] { slot.run_out(l); }), 2 * tokens * h * h);
  print("up, gelu", time_of(slot, [&] { slot.run_up(l); }), 2 * tokens * h * inner);
  print("down + norm", time_of(slot, [&] { slot.run_down(l); }), 2 * tokens * h * inner);
  print("pooling", time_of(slot, [&] { slot.run_pool(); }), 0);
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  if (argc < 4)
    return std::printf("encoder_bf16 MODEL|minilm|bert-base IDS|made LINES [TOKENS [SLOTS [VECTORS]]]\n"), 2;
  const std::string name = argv[1], ids_file = argv[2];
  const std::size_t count = std::strtoull(argv[3], nullptr, 10);
  const int tokens = argc > 4 ? std::atoi(argv[4]) : 132 * 128, slots = argc > 5 ? std::atoi(argv[5]) : 3;
  const bool made = name == "minilm" || name == "bert-base";
  encoder::Model weights = made
                               ? encoder::make_model(name == "minilm" ? encoder::kMiniLm : encoder::kBertBase)
                               : encoder::read_model(name);
  const DeviceModel model(weights);
  const Lines lines = ids_file == "made" ? encoder::make_lines(count, weights.shape.words)
                                         : encoder::repeat(encoder::read_lines(ids_file), count);
  std::printf("%s: %d columns, %d layers; %zu lines of %.1f tokens; batches of %d tokens, %d at a time\n",
              name.c_str(), weights.shape.hidden, weights.shape.layers, count,
              static_cast<double>(lines.ids.size()) / static_cast<double>(count), tokens, slots);
  check_bits(model, lines, tokens);

  const std::size_t hidden = weights.shape.hidden;
  int* const ids = pinned<int>(lines.ids.size());
  std::copy(lines.ids.begin(), lines.ids.end(), ids);
  float* const vectors = pinned<float>(count * hidden);
  std::memset(vectors, 0xff, count * hidden * 4);
  Encoder encoder(model, tokens, slots);
  for (int turn = 0; turn < 3; ++turn) {
    const double begin = seconds();
    encoder.encode(ids, lines.starts, vectors);
    const double time = seconds() - begin;
    const double h = static_cast<double>(hidden), inner = weights.shape.inner;
    const double operations = 2 * (4 * h * h + 2 * h * inner) * weights.shape.layers * lines.ids.size();
    std::printf("  %.3f s, %.0f lines/s, products alone %.0f TFLOP/s\n", time, count / time,
                operations / time / 1e12);
  }
  if (count >= 1000) time_steps(model, encoder.slot(0));
  if (argc > 6) {
    std::ofstream(argv[6], std::ios::binary)
        .write(reinterpret_cast<const char*>(vectors),
               static_cast<std::streamsize>(std::min<std::size_t>(count, 20000) * hidden * 4));
    if (made) encoder::write_model(weights, std::string(argv[6]) + ".model");
  }
}
