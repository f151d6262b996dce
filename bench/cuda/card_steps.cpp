// Times single operations of the card: products of MiniLM and BERT-base, attention and layer norms over lines
// of real lengths.
//   card_steps LENGTHS
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>

#include "base/parallel.hpp"
#include "compute/transformer.hpp"
#include "second_device.hpp"

namespace {

using namespace markeval;
using compute::DeviceMatrix;

/// Milliseconds of one call: the best of three rounds of ten. `last`: what the calls write.
template <typename Body>
double milliseconds(compute::Device& device, DeviceMatrix<float> last, const Body& body) {
  constexpr int kCalls = 10;
  float number = 0;
  double best = 1e9;
  for (int round = 0; round < 4; ++round) {
    compute::download<float>(device, last.rows_from(0, 1).columns_from(0, 1),
                             MatrixView<float>(&number, 1, 1));
    const auto begin = std::chrono::steady_clock::now();
    for (int call = 0; call < kCalls; ++call) body();
    compute::download<float>(device, last.rows_from(0, 1).columns_from(0, 1),
                             MatrixView<float>(&number, 1, 1));
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    if (round > 0) best = std::min(best, took.count() / kCalls);
  }
  return best;
}

}  // namespace

int main(int, char** arguments) {
  ThreadPool pool(4);
  const auto card = second_device(pool);
  compute::TransformerOperations& operations = card->transformer();
  std::ifstream file(arguments[1], std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::size_t> starts{0};
  for (const char byte : bytes) {
    const std::size_t next = starts.back() + std::max<std::size_t>(1, static_cast<unsigned char>(byte));
    if (next > 65536) break;
    starts.push_back(next);
  }
  const std::size_t rows = starts.back();
  const auto sequences = operations.pack_sequences(starts);
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(rows * 3072);
  for (float& number : numbers) number = normal(random);
  const auto a = compute::upload_matrix<float>(*card, MatrixView<const float>(numbers.data(), rows, 3072));
  const auto b = compute::allocate_matrix<float>(*card, rows, 3072);
  const auto part = [&](const compute::DeviceArray<float>& from, std::size_t columns) {
    return DeviceMatrix<float>{from.storage.get(), 0, rows, columns, columns};
  };
  std::printf("%zu tokens, %zu lines\n", rows, starts.size() - 1);
  const auto bias = part(a, 3072).rows_from(5, 1);
  for (const std::size_t hidden : {384, 768}) {
    const std::size_t shapes[][3] = {
        {hidden, 3 * hidden, 0}, {hidden, hidden, 1}, {hidden, 4 * hidden, 2}, {4 * hidden, hidden, 1}};
    for (const auto& [inputs, outputs, kind] : shapes) {
      const auto weights = card->pack_weights(part(a, inputs).rows_from(0, outputs), compute::Precision::f32);
      compute::Epilogue epilogue{.bias = bias.columns_from(0, outputs)};
      if (kind == 1) epilogue.residual = part(b, outputs);
      if (kind == 2) epilogue.activation = compute::Activation::gelu;
      const double ms = milliseconds(
          *card, b.view(), [&] { card->multiply(part(a, inputs), *weights, epilogue, part(b, outputs)); });
      std::printf("product %4zu to %4zu %-9s %7.3f ms, %5.1f TFLOP/s\n", inputs, outputs,
                  kind == 0   ? ""
                  : kind == 1 ? "residual"
                              : "gelu",
                  ms, 2e-9 * static_cast<double>(rows * inputs * outputs) / ms);
    }
    const auto qkv = part(a, 3 * hidden);
    for (const std::size_t heads : {hidden / 32, hidden / 64}) {
      const double ms = milliseconds(*card, b.view(), [&] {
        operations.attention(*sequences,
                             {.query = qkv.columns_from(0, hidden),
                              .key = qkv.columns_from(hidden, hidden),
                              .value = qkv.columns_from(2 * hidden, hidden),
                              .heads = heads,
                              .scale = 0.1f,
                              .bias = {},
                              .disentangled = {}},
                             part(b, hidden));
      });
      std::printf("attention %zu columns, %zu heads %7.3f ms\n", hidden, heads, ms);
    }
    const double ms = milliseconds(*card, b.view(), [&] {
      operations.layer_norm(part(a, hidden),
                            {bias.columns_from(0, hidden), bias.columns_from(0, hidden), 1e-12f},
                            part(b, hidden));
    });
    std::printf("layer norm %zu columns %7.3f ms\n", hidden, ms);
  }
}
