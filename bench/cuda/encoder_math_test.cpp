// Holds encoder_math.cuh, for single numbers and for vectors of sixteen, against the kernels of every
// instruction set of this CPU: all bits, over numbers of every exponent and NaN.
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "compute/cpu/transformer_kernels.hpp"
#include "compute/cpu/transformer_operations.hpp"
#include "compute/device.hpp"
#include "encoder_math.cuh"

typedef float Sixteen __attribute__((vector_size(64)));
typedef std::uint32_t SixteenBits __attribute__((vector_size(64)));

namespace encoder {
template <>
struct Numbers<Sixteen> {
  using Bits = SixteenBits;
  static Sixteen all(float value) { return Sixteen{} + value; }
  static Sixteen fused(Sixteen a, Sixteen b, Sixteen c) {
    for (int i = 0; i < 16; ++i) a[i] = std::fmaf(a[i], b[i], c[i]);
    return a;
  }
};
}  // namespace encoder

namespace {

using Values = std::vector<float>;

/// Applies `one` to every number and `many` to sixteen at a time; counts numbers whose bits are not those
/// of `expected`.
template <typename One, typename Many>
std::size_t differences(const Values& in, const Values& expected, One one, Many many) {
  std::size_t different = 0;
  // NaN must stay NaN. The CPU's e^x makes a number of one whose lowest nine bits are not 0.
  const auto differs = [&](std::size_t i, float a) {
    return in[i] != in[i] ? a == a : std::memcmp(&a, &expected[i], 4) != 0;
  };
  for (std::size_t begin = 0; begin < in.size(); begin += 16) {
    Sixteen values;
    std::memcpy(&values, in.data() + begin, sizeof values);
    values = many(values);
    for (std::size_t i = 0; i < 16; ++i) {
      different += differs(begin + i, one(in[begin + i])) ? 1 : 0;
      different += differs(begin + i, values[i]) ? 1 : 0;
    }
  }
  return different;
}

}  // namespace

int main() {
  using namespace markeval;
  Values in;
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 5);
  for (std::uint32_t bits = 0; in.size() < 1 << 20; bits += 4099) {
    float value;
    std::memcpy(&value, &bits, 4);
    in.push_back(value);
    in.push_back(normal(random));
  }
  ThreadPool pool(1);
  bool good = true;
  for (const Isa isa : supported_isas()) {
    const auto& kernels = compute::cpu::transformer_kernels_for(isa);
    const auto device = compute::make_cpu_device(pool, isa);
    const auto check = [&](const char* function, auto kernel, auto one, auto many) {
      Values expected = in;
      kernel(expected);
      const std::size_t different = differences(in, expected, one, many);
      std::printf("%-16s %-10s %zu numbers, %zu different\n", std::string(name(isa)).c_str(), function,
                  2 * in.size(), different);
      good = good && different == 0;
    };
    const auto of = [](auto function) {
      return [=](Values& values) { function(values.data(), values.size()); };
    };
    const auto gelu_by_product = [&](Values& values) {
      const auto rows =
          compute::upload_matrix<float>(*device, MatrixView<const float>(values.data(), values.size(), 1));
      const auto one = compute::upload_row<float>(*device, Values{1});
      const auto packed = device->pack_weights(one.view(), compute::Precision::f32);
      const auto out = compute::allocate_matrix<float>(*device, values.size(), 1);
      device->multiply(rows.view(), *packed, {1, {}, compute::Activation::gelu, {}}, out.view());
      values = compute::download_matrix(*device, out.view());
    };
    check("e^x", of(kernels.exponential), encoder::exponential<float>, encoder::exponential<Sixteen>);
    check("tanh", of(kernels.tanh), encoder::hyperbolic_tangent<float>, encoder::hyperbolic_tangent<Sixteen>);
    check("gelu_tanh", of(kernels.gelu_tanh), encoder::gelu_tanh<float>, encoder::gelu_tanh<Sixteen>);
    check("silu", of(kernels.silu), encoder::silu<float>, encoder::silu<Sixteen>);
    check("gelu", gelu_by_product, encoder::gelu<float>, encoder::gelu<Sixteen>);
  }
  return good ? 0 : 1;
}
