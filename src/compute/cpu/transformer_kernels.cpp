// Compiled once per instruction set: see cmake/isa.cmake for what such a file may hold.
#include "compute/cpu/transformer_kernels.hpp"

#include "compute/cpu/vector_math.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

// The last columns of a row that do not fill a vector, zero beyond.
inline Floats load_tail(const float* from, std::size_t count) {
  float lanes[kLanes] = {};
  for (std::size_t lane = 0; lane < count; ++lane) lanes[lane] = from[lane];
  return load(lanes);
}
inline void store_tail(float* to, Floats value, std::size_t count) {
  float lanes[kLanes];
  store(lanes, value);
  for (std::size_t lane = 0; lane < count; ++lane) to[lane] = lanes[lane];
}

void layer_norm(const float* in, const float* gain, const float* bias, float epsilon, std::size_t columns,
                float* out) {
  const std::size_t whole = columns / kLanes * kLanes;
  const std::size_t rest = columns - whole;
  Floats sum{}, more{};
  std::size_t column = 0;
  for (; column + 2 * kLanes <= whole; column += 2 * kLanes) {
    sum += load(in + column);
    more += load(in + column + kLanes);
  }
  if (column < whole) sum += load(in + column);
  float total = sum_of_lanes(sum + more);
  for (column = whole; column < columns; ++column) total += in[column];
  const float mean = total / static_cast<float>(columns);

  const Floats means = splat(mean);
  sum = more = Floats{};
  for (column = 0; column + 2 * kLanes <= whole; column += 2 * kLanes) {
    const Floats a = load(in + column) - means;
    const Floats b = load(in + column + kLanes) - means;
    sum = fused(a, a, sum);
    more = fused(b, b, more);
  }
  if (column < whole) {
    const Floats a = load(in + column) - means;
    sum = fused(a, a, sum);
  }
  float squares = sum_of_lanes(sum + more);
  for (column = whole; column < columns; ++column) squares += (in[column] - mean) * (in[column] - mean);
  const float variance = squares / static_cast<float>(columns);
  const Floats factor = splat(1.0f / __builtin_sqrtf(variance + epsilon));
  for (column = 0; column < whole; column += kLanes) {
    store(out + column,
          fused((load(in + column) - means) * factor, load(gain + column), load(bias + column)));
  }
  if (rest > 0) {
    const Floats centred = (load_tail(in + whole, rest) - means) * factor;
    const Floats result = fused(centred, load_tail(gain + whole, rest), load_tail(bias + whole, rest));
    store_tail(out + whole, result, rest);
  }
}

void sum_rows(const float* a, const float* b, const float* c, std::size_t columns, float* out) {
  std::size_t column = 0;
  for (; column + kLanes <= columns; column += kLanes) {
    Floats sum = load(a + column);
    if (b != nullptr) sum += load(b + column);
    if (c != nullptr) sum += load(c + column);
    store(out + column, sum);
  }
  for (; column < columns; ++column) {
    float sum = a[column];
    if (b != nullptr) sum += b[column];
    if (c != nullptr) sum += c[column];
    out[column] = sum;
  }
}

// (1 - e^(-2|x|)) / (1 + e^(-2|x|)) with the sign of x: absolute error below 2e-7.
inline Floats hyperbolic_tangent(Floats x) {
  const Floats magnitude = x < Floats{} ? -x : x;
  const Floats power = exponential(splat(-2.0f) * magnitude);
  const Floats result = (splat(1.0f) - power) / (splat(1.0f) + power);
  return x < Floats{} ? -result : result;
}

struct GeluTanh {
  static Floats of(Floats x) {
    const Floats inner = fused(x * x * x, splat(0.044715f), x) * splat(0.797884560802865f);
    return splat(0.5f) * x * (splat(1.0f) + hyperbolic_tangent(inner));
  }
};
struct Silu {
  static Floats of(Floats x) { return x / (splat(1.0f) + exponential(-x)); }
};
struct Tanh {
  static Floats of(Floats x) { return hyperbolic_tangent(x); }
};
struct Exponential {
  static Floats of(Floats x) { return exponential(x); }
};

template <typename Operation>
void apply(float* values, std::size_t count) {
  std::size_t index = 0;
  for (; index + kLanes <= count; index += kLanes) store(values + index, Operation::of(load(values + index)));
  if (index < count) {
    store_tail(values + index, Operation::of(load_tail(values + index, count - index)), count - index);
  }
}

constexpr TransformerKernels kKernels{
    .layer_norm = layer_norm,
    .sum_rows = sum_rows,
    .attention_scratch = attention_scratch,
    .attention = attention,
    .gelu_tanh = apply<GeluTanh>,
    .silu = apply<Silu>,
    .tanh = apply<Tanh>,
    .exponential = apply<Exponential>,
};

}  // namespace

const TransformerKernels& transformer_kernels() {
  return kKernels;
}

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
