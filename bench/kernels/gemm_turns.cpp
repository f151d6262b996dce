// Our matrix product on demand, for a program that measures another one in between (torch_matmul.py does):
// what it asks for by a line on standard input is answered by a line on standard output. A CPU that changes
// its speed within seconds has the same one for both sides then.
//   bench_gemm_turns
//   KIND ROWS OUTPUTS INPUTS SECONDS
// multiplies for that long, an eighth of it to warm up, and answers with the median of the seconds a product
// took. KIND: "f32"; "bf16": rows and result are bf16 too; "converting": they are float32. "none" is the
// answer where the CPU has no bf16. The first line says which kernels these are. Threads by MARKEVAL_THREADS,
// instruction set by MARKEVAL_ISA.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "base/parallel.hpp"
#include "gemm_operands.hpp"

namespace markeval::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// A product of one kind, ready to be run. gemm.cpp and, for rows of bf16, tests/contract verify it.
class Product {
 public:
  Product(compute::Device& device, const std::string& kind, Shape shape)
      : device_(device),
        operands_(device, shape),
        packed_(device.pack_weights(operands_.device_weights.view(),
                                    kind == "f32" ? compute::Precision::f32 : compute::Precision::bf16)),
        in_(operands_.device_in.view()),
        out_(operands_.device_out.view()) {
    if (kind != "bf16") return;
    narrow_in_ = compute::samples::upload_rounded(device, operands_.in);
    narrow_out_ = compute::allocate_matrix<compute::Bf16>(device, shape.rows, shape.outputs);
    in_ = narrow_in_.view();
    out_ = narrow_out_.view();
  }

  double median_seconds(double seconds) const {
    const auto since = [](Clock::time_point start) {
      return std::chrono::duration<double>(Clock::now() - start).count();
    };
    std::vector<double> times;
    const auto start = Clock::now();
    while (times.empty() || since(start) < seconds) {
      const bool warm = since(start) > seconds / 8;
      const auto begin = Clock::now();
      device_.multiply(in_, *packed_, {.bias = {}, .residual = {}}, out_);
      if (warm) times.push_back(since(begin));
    }
    return median(times);
  }

 private:
  compute::Device& device_;
  Operands operands_;
  std::unique_ptr<compute::PackedWeights> packed_;
  compute::ProductRows in_;
  compute::ProductResult out_;
  compute::DeviceArray<compute::Bf16> narrow_in_, narrow_out_;
};

}  // namespace
}  // namespace markeval::bench

int main() {
  using namespace markeval;
  const char* const threads = std::getenv("MARKEVAL_THREADS");
  ThreadPool pool(threads == nullptr ? 0 : std::strtoul(threads, nullptr, 10));
  const auto device = compute::make_cpu_device(pool);
  std::printf("%s, %zu threads\n", device->name().c_str(), pool.size());
  std::fflush(stdout);
  std::string kind, last;
  bench::Shape shape{};
  double seconds = 0;
  std::optional<bench::Product> product;
  while (std::cin >> kind >> shape.rows >> shape.outputs >> shape.inputs >> seconds) {
    if (kind != "f32" && kind != "bf16" && kind != "converting") {
      std::fprintf(stderr, "bench_gemm_turns: there is no kind '%s', only f32, bf16 and converting\n",
                   kind.c_str());
      return 1;
    }
    if (kind != "f32" && !device->supports(compute::Precision::bf16)) {
      std::puts("none");
    } else {
      const std::string asked = kind + ' ' + std::to_string(shape.rows) + ' ' +
                                std::to_string(shape.outputs) + ' ' + std::to_string(shape.inputs);
      if (asked != last) product.emplace(*device, kind, shape);
      last = asked;
      std::printf("%.9g\n", product->median_seconds(seconds));
    }
    std::fflush(stdout);
  }
}
