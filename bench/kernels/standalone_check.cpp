// For a machine without any library: checks every kernel of every instruction set this CPU has against the
// double reference, then prints how fast they are. Built by standalone.sh.
//   standalone_check [check | time | all] [threads]
// Exits 1 if a kernel is wrong.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "base/parallel.hpp"
#include "compute/reference/reference.hpp"
#include "compute/samples.hpp"

namespace markeval::compute {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
int faults = 0;

void report(const Device& device, const std::string& what) {
  ++faults;
  std::printf("WRONG %s: %s\n", device.name().c_str(), what.c_str());
}

std::vector<float> product(Device& device, const samples::Floats& in, const samples::Floats& weights,
                           const samples::Floats& bias, Activation activation, Precision precision) {
  const auto device_in = samples::upload_strided(device, in),
             device_bias = samples::upload_strided(device, bias);
  const auto packed = device.pack_weights(samples::upload_strided(device, weights).view(), precision);
  const auto out = allocate_matrix<float>(device, in.rows, weights.rows);
  device.multiply(device_in.view(), *packed,
                  {.bias = device_bias.view(), .activation = activation, .residual = {}}, out.view());
  return download_matrix(device, out.view());
}

void check_product(Device& device, Precision precision, std::size_t rows, std::size_t inputs,
                   std::size_t outputs, Activation activation) {
  samples::Floats in = samples::floats(rows, inputs, inputs, 1),
                  weights = samples::floats(outputs, inputs, inputs, 2);
  const samples::Floats bias = samples::floats(1, outputs, outputs, 3);
  const std::vector<float> found = product(device, in, weights, bias, activation, precision);
  if (precision == Precision::bf16) {
    for (float& value : in.values) value = samples::rounded_to_bf16(value);
    for (float& value : weights.values) value = samples::rounded_to_bf16(value);
  }
  const auto expected = reference::multiply(in.view(), weights.view(), 1, bias.values, activation, {});
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double tolerance = 1.13 * 0x1p-23 * static_cast<double>(inputs + 6) * expected.magnitudes[i] +
                             (activation == Activation::gelu ? 1e-6 : 0);
    const double error = std::abs(static_cast<double>(found[i]) - expected.values[i]) / tolerance;
    if (!(error <= worst)) worst = error;
  }
  if (!(worst <= 1)) {
    report(device, std::string(precision == Precision::bf16 ? "bf16 " : "f32 ") + std::to_string(rows) +
                       " x " + std::to_string(inputs) + " x " + std::to_string(outputs) + ", error " +
                       std::to_string(worst) + " of what is allowed");
  }
}

/// The same bits for every place of a row and number of threads.
void check_places(Isa isa, Precision precision) {
  const samples::Floats in = samples::floats(90, 1700, 1700, 1), weights = samples::floats(77, 1700, 1700, 2);
  const samples::Floats bias = samples::floats(1, 77, 77, 3);
  ThreadPool one(1);
  const auto device = make_cpu_device(one, isa);
  const std::vector<float> all = product(*device, in, weights, bias, Activation::gelu, precision);
  for (const std::size_t threads : {1u, 2u, 3u, 7u}) {
    ThreadPool pool(threads);
    const auto other = make_cpu_device(pool, isa);
    for (const std::size_t first : {0u, 1u, 5u, 13u}) {
      for (const std::size_t count : {1u, 2u, 31u, 64u}) {
        samples::Floats part{count, 1700, 1700, {}};
        part.values.assign(in.values.begin() + static_cast<std::ptrdiff_t>(first * 1700),
                           in.values.begin() + static_cast<std::ptrdiff_t>((first + count) * 1700));
        const std::vector<float> found = product(*other, part, weights, bias, Activation::gelu, precision);
        if (std::memcmp(found.data(), all.data() + first * 77, found.size() * sizeof(float)) != 0) {
          report(*other,
                 "bits differ for " + std::to_string(threads) + " threads, row " + std::to_string(first));
        }
      }
    }
  }
}

void check_pairs(Device& device, std::size_t rows, std::size_t columns) {
  const samples::Codes query = samples::codes(rows, columns, 127, 1),
                       base = samples::codes(37, columns, 127, 2);
  const cpu::PairOperations& operations = *cpu::pair_operations(device);
  const auto packed_query = samples::pack(operations, query), packed_base = samples::pack(operations, base);
  const std::vector<float> query_limits(rows, kInfinity), base_limits(37, -kInfinity);
  std::vector<cpu::CodedPair> pairs(rows * 37);
  const std::size_t count =
      operations.select(*packed_query, *packed_base, {0, rows, 0, 37}, query_limits, base_limits, pairs);
  if (count != rows * 37) return report(device, "select lost pairs");
  for (const bool again : {false, true}) {
    if (again) operations.measure(*packed_query, *packed_base, pairs);
    for (const cpu::CodedPair& pair : pairs) {
      const double expected = reference::coded_squared_distance(
          query.row(pair.query), query.scale[pair.query], query.squared_norm[pair.query], base.row(pair.base),
          base.scale[pair.base], base.squared_norm[pair.base]);
      const double bound =
          static_cast<double>(cpu::kCodedError) * (static_cast<double>(query.squared_norm[pair.query]) +
                                                   static_cast<double>(base.squared_norm[pair.base]));
      if (!(std::abs(static_cast<double>(pair.squared_distance) - expected) <= bound)) {
        return report(device,
                      std::string(again ? "measure, " : "select, ") + std::to_string(columns) + " columns");
      }
    }
  }
}

void check(Isa isa) {
  const int before = faults;
  ThreadPool pool(2);
  const auto device = make_cpu_device(pool, isa);
  for (const Precision precision : {Precision::f32, Precision::bf16}) {
    if (!device->supports(precision)) continue;
    for (std::size_t inputs = 1; inputs <= 70; ++inputs)
      check_product(*device, precision, 3, inputs, 5, Activation::none);
    for (std::size_t rows = 1; rows <= 66; ++rows)
      check_product(*device, precision, rows, 33, 17, Activation::relu);
    for (std::size_t outputs = 1; outputs <= 66; ++outputs)
      check_product(*device, precision, 5, 19, outputs, Activation::gelu);
    for (const std::size_t inputs : {384u, 768u, 1024u, 1537u, 3072u})
      check_product(*device, precision, 45, inputs, 77, Activation::none);
    check_places(isa, precision);
  }
  for (const std::size_t columns : {1u, 2u, 3u, 5u, 8u, 17u, 63u, 64u, 65u, 128u, 384u, 777u, 1024u}) {
    for (const std::size_t rows : {1u, 12u, 70u}) check_pairs(*device, rows, columns);
  }
  std::printf("%-18s %s\n", device->name().c_str(), faults == before ? "right" : "WRONG");
}

double best_seconds(const auto& work) {
  double best = 1e9, total = 0;
  for (int runs = 0; runs < 5 || (total < 0.2 && runs < 1000); ++runs) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = std::min(best, seconds);
    total += seconds;
  }
  return best;
}

void time(Isa isa, std::size_t threads) {
  ThreadPool pool(threads);
  const auto device = make_cpu_device(pool, isa);
  std::printf("%s, %zu threads, GFLOP/s (best of several runs)\n", device->name().c_str(), pool.size());
  const std::pair<std::size_t, std::size_t> shapes[] = {{384, 384}, {1152, 384}, {1536, 384}, {384, 1536},
                                                        {768, 768}, {2304, 768}, {3072, 768}, {768, 3072}};
  for (const Precision precision : {Precision::f32, Precision::bf16}) {
    if (!device->supports(precision)) continue;
    for (const auto& [outputs, inputs] : shapes) {
      std::printf("  %s %4zu x %4zu, rows 64 256 1024 4096:", precision == Precision::f32 ? "f32 " : "bf16",
                  outputs, inputs);
      const auto packed = device->pack_weights(
          samples::upload_strided(*device, samples::floats(outputs, inputs, inputs, 2)).view(), precision);
      for (const std::size_t rows : {64u, 256u, 1024u, 4096u}) {
        const auto in = samples::upload_strided(*device, samples::floats(rows, inputs, inputs, 1));
        const auto out = allocate_matrix<float>(*device, rows, outputs);
        const double seconds = best_seconds(
            [&] { device->multiply(in.view(), *packed, {.bias = {}, .residual = {}}, out.view()); });
        std::printf(" %7.1f", 2e-9 * static_cast<double>(rows * inputs * outputs) / seconds);
        std::fflush(stdout);
      }
      std::printf("\n");
    }
  }
  for (const std::size_t columns : {64u, 128u, 384u, 768u}) {
    const samples::Codes query = samples::codes(256, columns, 60, 1),
                         base = samples::codes(2048, columns, 60, 2);
    const cpu::PairOperations& operations = *cpu::pair_operations(*device);
    const auto packed_query = samples::pack(operations, query), packed_base = samples::pack(operations, base);
    const std::vector<float> query_limits(256, -kInfinity), base_limits(2048, -kInfinity);
    std::vector<cpu::CodedPair> found(1000);
    const double seconds = best_seconds([&] {
      operations.select(*packed_query, *packed_base, {0, 256, 0, 2048}, query_limits, base_limits, found);
    });
    std::printf("  select, %4zu columns, one thread: %7.1f GOP/s, %.2f Gpairs/s\n", columns,
                2e-9 * 256 * 2048 * static_cast<double>(columns) / seconds, 1e-9 * 256 * 2048 / seconds);
  }
}

}  // namespace
}  // namespace markeval::compute

int main(int argc, char** argv) {
  using namespace markeval;
  const std::string what = argc > 1 ? argv[1] : "all";
  const std::size_t threads = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
  if (what != "time") {
    for (const Isa isa : supported_isas()) compute::check(isa);
  }
  if (what != "check") {
    for (const Isa isa : supported_isas()) compute::time(isa, threads);
  }
  return compute::faults == 0 ? 0 : 1;
}
