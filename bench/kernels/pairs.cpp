// The neighbour filter: pairs per second and the rate of its int8 product.
//   bench_pairs   one thread; instruction set by MARKEVAL_ISA
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>

#include "base/parallel.hpp"
#include "compute/reference/reference.hpp"
#include "compute/samples.hpp"

namespace markeval::bench {
namespace {

using compute::cpu::CodedPair;
using compute::cpu::PairOperations;

constexpr std::size_t kQueries = 256, kBases = 2048;

/// A limit that `share` of the pairs meet.
float limit_for(const compute::samples::Codes& query, const compute::samples::Codes& base, double share) {
  std::vector<double> sample;
  for (std::size_t q = 0; q < query.rows; q += 4) {
    for (std::size_t b = 0; b < base.rows; b += 16) {
      sample.push_back(compute::reference::coded_squared_distance(query.row(q), query.scale[q],
                                                                  query.squared_norm[q], base.row(b),
                                                                  base.scale[b], base.squared_norm[b]));
    }
  }
  std::sort(sample.begin(), sample.end());
  return static_cast<float>(sample[static_cast<std::size_t>(share * static_cast<double>(sample.size()))]);
}

void select(benchmark::State& state, const PairOperations& operations, std::size_t columns, double share) {
  const auto query = compute::samples::codes(kQueries, columns, 60, 1),
             base = compute::samples::codes(kBases, columns, 60, 2);
  const auto packed_query = compute::samples::pack(operations, query),
             packed_base = compute::samples::pack(operations, base);
  const float limit = limit_for(query, base, share);
  const std::vector<float> query_limits(kQueries, limit), base_limits(kBases, limit);
  std::vector<CodedPair> found(kQueries * kBases);
  std::size_t count = 0;
  for (auto _ : state) {
    count = operations.select(*packed_query, *packed_base, {0, kQueries, 0, kBases}, query_limits,
                              base_limits, found);
  }
  const double pairs = static_cast<double>(kQueries * kBases);
  state.counters["kept %"] = 100 * static_cast<double>(count) / pairs;
  state.counters["Gpairs/s"] =
      benchmark::Counter(1e-9 * pairs, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["int8 GOP/s"] = benchmark::Counter(2e-9 * pairs * static_cast<double>(columns),
                                                    benchmark::Counter::kIsIterationInvariantRate);
}

void measure(benchmark::State& state, const PairOperations& operations, std::size_t columns) {
  const auto query = compute::samples::codes(4096, columns, 60, 1);
  const auto packed = compute::samples::pack(operations, query);
  RandomStream random(3, 0);
  std::vector<CodedPair> pairs(20000);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = {static_cast<std::uint32_t>(i / 20), static_cast<std::uint32_t>(random.below(4096)), 0};
  }
  for (auto _ : state) operations.measure(*packed, *packed, pairs);
  state.counters["Mpairs/s"] = benchmark::Counter(1e-6 * static_cast<double>(pairs.size()),
                                                  benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace
}  // namespace markeval::bench

int main(int argc, char** argv) {
  using namespace markeval;
  ThreadPool pool(1);
  const auto device = compute::make_cpu_device(pool);
  const auto& operations = *compute::cpu::pair_operations(*device);
  benchmark::AddCustomContext("ours", device->name() + ", 1 thread");
  for (const std::size_t columns : {64u, 128u, 384u, 768u, 1024u}) {
    for (const double share : {0.0, 0.001, 0.01}) {
      const std::string name =
          "select " + std::to_string(columns) + " columns, share " + std::to_string(share);
      benchmark::RegisterBenchmark(
          name.c_str(),
          [&operations, columns, share](auto& state) { bench::select(state, operations, columns, share); })
          ->Unit(benchmark::kMillisecond)
          ->MinTime(0.2);
    }
  }
  for (const std::size_t columns : {384u, 768u}) {
    benchmark::RegisterBenchmark(
        ("measure " + std::to_string(columns) + " columns").c_str(),
        [&operations, columns](auto& state) { bench::measure(state, operations, columns); })
        ->Unit(benchmark::kMillisecond)
        ->MinTime(0.2);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
