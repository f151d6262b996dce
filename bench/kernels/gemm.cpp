// Matrix product of encoder shapes, ours and the peer's by turns in the same run.
//   bench_gemm [--benchmark_filter=384x1536]
// threads by MARKEVAL_THREADS, instruction set by MARKEVAL_ISA, time of each by MARKEVAL_SECONDS.
// Counters: GFLOP/s of both (median), their ratio (median of the ratios of neighbouring runs), and bf16 where
// there is, by turns with float32 afterwards. For comparison with torch see gemm_turns.cpp.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/parallel.hpp"
#include "compute/reference/reference.hpp"
#include "compute/samples.hpp"
#include "gemm_operands.hpp"
#include "peer.hpp"

namespace markeval::bench {
namespace {

using compute::Precision;
using Clock = std::chrono::steady_clock;

/// As in a row of products, the threads are awake and the operands where the last call left them.
double seconds(const auto& work) {
  work();
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Largest error over a sample of rows, in units of the last place of the sum of the terms' sizes.
double largest_error(const compute::samples::Floats& in, const compute::samples::Floats& weights,
                     const std::vector<float>& out, double epsilon) {
  double largest = 0;
  for (std::size_t row = 0; row < in.rows; row += std::max<std::size_t>(1, in.rows / 3)) {
    const auto expected = compute::reference::multiply(in.view().rows_from(row, 1), weights.view(), 1, {},
                                                       compute::Activation::none, {});
    for (std::size_t i = 0; i < weights.rows; ++i) {
      const double error = std::abs(static_cast<double>(out[row * weights.rows + i]) - expected.values[i]);
      largest = std::max(largest, error / (epsilon * expected.magnitudes[i]));
    }
  }
  return largest;
}

void run(benchmark::State& state, compute::Device& device, Shape shape) {
  const Operands operands(device, shape);
  const auto& [in, weights, device_in, device_weights, device_out] = operands;
  std::vector<float> out(shape.rows * shape.outputs);
  const auto peer =
      make_peer(in.values.data(), weights.values.data(), out.data(), shape.rows, shape.inputs, shape.outputs);
  const auto f32 = device.pack_weights(device_weights.view(), Precision::f32);
  const auto bf16 = device.supports(Precision::bf16)
                        ? device.pack_weights(device_weights.view(), Precision::bf16)
                        : nullptr;
  const auto ours = [&](const compute::PackedWeights& packed) { operands.multiply(device, packed); };

  peer->run();
  const double peer_error = largest_error(in, weights, out, 0x1p-23);
  ours(*f32);
  download(device, device_out.view(), MatrixView(out.data(), shape.rows, shape.outputs));
  const double our_error = largest_error(in, weights, out, 0x1p-23);
  double bf16_error = 0;
  if (bf16) {
    ours(*bf16);
    download(device, device_out.view(), MatrixView(out.data(), shape.rows, shape.outputs));
    bf16_error = largest_error(in, weights, out, 0x1p-7);
  }
  const auto limit = static_cast<double>(shape.inputs);
  if (peer_error > limit || our_error > limit || bf16_error > 1) {
    state.SkipWithError("the product is wrong");
    return;
  }

  const auto our_seconds = [&] { return seconds([&] { ours(*f32); }); };
  const auto peer_seconds = [&] { return seconds([&] { peer->run(); }); };
  std::vector<double> our_times, peer_times, ratios;
  for (auto _ : state) {
    // By turns the first: whoever comes second finds the CPU at the speed the other has left it at.
    const bool first = our_times.size() % 2 == 0;
    double mine = first ? our_seconds() : 0;
    const double theirs = peer_seconds();
    if (!first) mine = our_seconds();
    our_times.push_back(mine);
    peer_times.push_back(theirs);
    ratios.push_back(theirs / mine);
    state.SetIterationTime(mine);
  }
  // Afterwards, or the next float32 product would run at the lower clock of the matrix instructions.
  std::vector<double> bf16_times, bf16_ratios;
  for (std::size_t i = 0; bf16 && i < our_times.size(); ++i) {
    const double mine = our_seconds();
    bf16_times.push_back(seconds([&] { ours(*bf16); }));
    bf16_ratios.push_back(mine / bf16_times.back());
  }
  const double work = shape.gflop();
  state.counters["f32"] = work / median(our_times);
  state.counters["peer"] = work / median(peer_times);
  state.counters["f32/peer"] = median(ratios);
  if (bf16) {
    state.counters["bf16"] = work / median(bf16_times);
    state.counters["bf16/f32"] = median(bf16_ratios);
  }
}

}  // namespace
}  // namespace markeval::bench

int main(int argc, char** argv) {
  using namespace markeval;
  const char* const threads = std::getenv("MARKEVAL_THREADS");
  ThreadPool pool(threads == nullptr ? 0 : std::strtoul(threads, nullptr, 10));
  const auto device = compute::make_cpu_device(pool);
  benchmark::AddCustomContext("ours", device->name() + ", " + std::to_string(pool.size()) + " threads");
  benchmark::AddCustomContext("peer", bench::peer_name(pool.size()));
  const char* const given = std::getenv("MARKEVAL_SECONDS");
  const double least_seconds = given == nullptr ? 0.3 : std::strtod(given, nullptr);
  for (const std::size_t rows : {64u, 256u, 1024u, 4096u}) {
    const std::pair<std::size_t, std::size_t> outputs_inputs[] = {
        {384, 384}, {1152, 384}, {1536, 384}, {384, 1536}, {768, 768}, {2304, 768}, {3072, 768}, {768, 3072}};
    for (const auto& [outputs, inputs] : outputs_inputs) {
      const bench::Shape shape{rows, inputs, outputs};
      const std::string name =
          std::to_string(rows) + " rows, " + std::to_string(outputs) + "x" + std::to_string(inputs);
      benchmark::RegisterBenchmark(name.c_str(),
                                   [&device, shape](auto& state) { bench::run(state, *device, shape); })
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond)
          ->MinTime(least_seconds);
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
