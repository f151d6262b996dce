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

/// term(column) for `whole` columns, a multiple of kSums; `term` takes the first of kLanes columns and adds
/// to a running sum. Two sets of running sums take turns, so that one addition need not wait for the last.
template <typename AddTerm>
inline float sum_columns(std::size_t whole, const AddTerm& add_term) {
  RunningSums even, odd;
  const auto add = [&](std::size_t column, RunningSums& sums) {
#pragma GCC unroll 4
    for (std::size_t part = 0; part < kSumParts; ++part) add_term(column + part * kLanes, sums.part[part]);
  };
  std::size_t column = 0;
  for (; column + 2 * kSums <= whole; column += 2 * kSums) {
    add(column, even);
    add(column + kSums, odd);
  }
  if (column < whole) add(column, even);
#pragma GCC unroll 4
  for (std::size_t part = 0; part < kSumParts; ++part) even.part[part] += odd.part[part];
  return total(even);
}

void layer_norm(const float* in, const float* gain, const float* bias, float epsilon, std::size_t columns,
                float* out) {
  const std::size_t summed = columns / kSums * kSums;  // the columns behind are added one by one
  float sum = sum_columns(summed, [&](std::size_t column, Floats& to) { to += load(in + column); });
  for (std::size_t column = summed; column < columns; ++column) sum += in[column];
  const float mean = sum / static_cast<float>(columns);

  const Floats means = splat(mean);
  float squares = sum_columns(summed, [&](std::size_t column, Floats& to) {
    const Floats difference = load(in + column) - means;
    to = fused(difference, difference, to);
  });
  for (std::size_t column = summed; column < columns; ++column)
    squares += (in[column] - mean) * (in[column] - mean);
  const float variance = squares / static_cast<float>(columns);
  const Floats factor = splat(1.0f / __builtin_sqrtf(variance + epsilon));
  const std::size_t whole = columns / kLanes * kLanes, rest = columns - whole;
  for (std::size_t column = 0; column < whole; column += kLanes) {
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

void multiply_rows(float* a, const float* b, std::size_t columns) {
  std::size_t column = 0;
  for (; column + kLanes <= columns; column += kLanes) store(a + column, load(a + column) * load(b + column));
  for (; column < columns; ++column) a[column] *= b[column];
}

// One of the two products is rounded, the other is fused with the sum, on every instruction set.
struct TurnedPoints {
  TurnedPoints(Floats x, Floats y, Floats cosine, Floats sine)
      : first(fused(x, cosine, -(y * sine))), second(fused(y, cosine, x * sine)) {}
  Floats first, second;
};

void rotate(const float* cosines, const float* sines, std::size_t points, float* first, float* second) {
  const std::size_t whole = points / kLanes * kLanes, rest = points - whole;
  for (std::size_t point = 0; point < whole; point += kLanes) {
    const TurnedPoints turned(load(first + point), load(second + point), load(cosines + point),
                              load(sines + point));
    store(first + point, turned.first);
    store(second + point, turned.second);
  }
  if (rest > 0) {
    const TurnedPoints turned(load_tail(first + whole, rest), load_tail(second + whole, rest),
                              load_tail(cosines + whole, rest), load_tail(sines + whole, rest));
    store_tail(first + whole, turned.first, rest);
    store_tail(second + whole, turned.second, rest);
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
    .multiply_rows = multiply_rows,
    .rotate = rotate,
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
