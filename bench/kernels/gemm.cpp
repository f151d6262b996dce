// Matrix product of encoder shapes, ours and the peer's by turns in the same run.
//   bench_gemm [--benchmark_filter=384x1536]
// threads by MARKEVAL_THREADS, instruction set by MARKEVAL_ISA, time of each by MARKEVAL_SECONDS.
// Counters: GFLOP/s of both (median), their ratio (median of the ratios of neighbouring runs), and bf16 where
// there is. "f32 alone, ...", "bf16 alone, ..." (rows and result are bf16) and "converting alone, ..." (they
// are float32, the product bf16) are runs of one kind with nothing between, for comparison with programs that
// are timed so: a CPU that has just met its widest instructions slows them down for a while.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/parallel.hpp"
#include "compute/reference/reference.hpp"
#include "compute/samples.hpp"
#include "peer.hpp"

namespace markeval::bench {
namespace {

using compute::Precision;
using Clock = std::chrono::steady_clock;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// As in a row of products, the threads are awake and the operands where the last call left them.
double seconds(const auto& work) {
  work();
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Shape {
  std::size_t rows, inputs, outputs;

  double gflop() const { return 2e-9 * static_cast<double>(rows * inputs * outputs); }
};

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

struct Operands {
  Operands(compute::Device& device, Shape shape)
      : in(compute::samples::floats(shape.rows, shape.inputs, shape.inputs, 1)),
        weights(compute::samples::floats(shape.outputs, shape.inputs, shape.inputs, 2)),
        device_in(compute::samples::upload_strided(device, in)),
        device_weights(compute::samples::upload_strided(device, weights)),
        device_out(compute::allocate_matrix<float>(device, shape.rows, shape.outputs)) {}

  void multiply(compute::Device& device, const compute::PackedWeights& packed) const {
    device.multiply(device_in.view(), packed, {.bias = {}, .residual = {}}, device_out.view());
  }

  compute::samples::Floats in, weights;
  compute::DeviceArray<float> device_in, device_weights, device_out;
};

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
  device.download(std::as_writable_bytes(std::span(out)), *device_out.storage, 0);
  const double our_error = largest_error(in, weights, out, 0x1p-23);
  double bf16_error = 0;
  if (bf16) {
    ours(*bf16);
    device.download(std::as_writable_bytes(std::span(out)), *device_out.storage, 0);
    bf16_error = largest_error(in, weights, out, 0x1p-7);
  }
  const auto limit = static_cast<double>(shape.inputs);
  if (peer_error > limit || our_error > limit || bf16_error > 1) {
    state.SkipWithError("the product is wrong");
    return;
  }

  std::vector<double> our_times, peer_times, bf16_times, ratios, bf16_ratios;
  for (auto _ : state) {
    const double mine = seconds([&] { ours(*f32); }), theirs = seconds([&] { peer->run(); });
    our_times.push_back(mine);
    peer_times.push_back(theirs);
    ratios.push_back(theirs / mine);
    if (bf16) {
      bf16_times.push_back(seconds([&] { ours(*bf16); }));
      bf16_ratios.push_back(mine / bf16_times.back());
    }
    state.SetIterationTime(mine);
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

enum class Kind { f32, bf16, converting };
constexpr const char* kKindNames[] = {"f32", "bf16", "converting"};

/// Only ours, one call after the other; verified by the benchmark above and, for rows of bf16,
/// tests/contract.
void run_alone(benchmark::State& state, compute::Device& device, Shape shape, Kind kind) {
  const Operands operands(device, shape);
  const auto packed = device.pack_weights(operands.device_weights.view(),
                                          kind == Kind::f32 ? Precision::f32 : Precision::bf16);
  const auto narrow_in = compute::samples::upload_rounded(device, operands.in);
  const auto narrow_out = compute::allocate_matrix<compute::Bf16>(device, shape.rows, shape.outputs);
  compute::ProductRows in = operands.device_in.view();
  compute::ProductResult out = operands.device_out.view();
  if (kind == Kind::bf16) {
    in = narrow_in.view();
    out = narrow_out.view();
  }
  std::vector<double> times;
  for (auto _ : state) {
    const auto start = Clock::now();
    device.multiply(in, *packed, {.bias = {}, .residual = {}}, out);
    times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    state.SetIterationTime(times.back());
  }
  state.counters["rate"] = shape.gflop() / median(times);
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
  const auto add = [&](const std::string& name, const auto& body) {
    benchmark::RegisterBenchmark(name.c_str(), body)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond)
        ->MinTime(least_seconds);
  };
  for (const std::size_t rows : {64u, 256u, 1024u, 4096u}) {
    const std::pair<std::size_t, std::size_t> outputs_inputs[] = {
        {384, 384}, {1152, 384}, {1536, 384}, {384, 1536}, {768, 768}, {2304, 768}, {3072, 768}, {768, 3072}};
    for (const auto& [outputs, inputs] : outputs_inputs) {
      const bench::Shape shape{rows, inputs, outputs};
      const std::string name =
          std::to_string(rows) + " rows, " + std::to_string(outputs) + "x" + std::to_string(inputs);
      add(name, [&device, shape](auto& state) { bench::run(state, *device, shape); });
      for (const auto kind : {bench::Kind::f32, bench::Kind::bf16, bench::Kind::converting}) {
        if (kind != bench::Kind::f32 && !device->supports(compute::Precision::bf16)) continue;
        add(bench::kKindNames[static_cast<int>(kind)] + (" alone, " + name),
            [&device, shape, kind](auto& state) { bench::run_alone(state, *device, shape, kind); });
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
