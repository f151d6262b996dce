// One word of an LSTM (compute::LstmStep), and one word mixed of its layers (compute::MixedWord). Nothing
// here is fused, so a CPU without fused multiply-add needs no detour. Compiled once per instruction set: see
// cmake/isa.cmake for what such a file may hold.
#include "compute/cpu/kernels.hpp"
#include "compute/cpu/simd.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

/// The operations of exponential() in trained/functions.hpp, in their order.
inline Floats exponential(Floats x) {
  const Floats bounded = x > splat(-87.0f) ? x : splat(-87.0f);
  const Floats clamped = bounded < splat(88.0f) ? bounded : splat(88.0f);
  const Floats magic = splat(12582912.0f);  // 1.5 * 2^23: adding it rounds to an integer in the low bits
  const Floats shifted = clamped * splat(1.44269504f) + magic;
  const Floats n = shifted - magic;
  const Floats r = (clamped - n * splat(0.693145751953125f)) - n * splat(1.42860677e-6f);
  Floats sum = splat(1.0f / 5040);
  sum = sum * r + splat(1.0f / 720);
  sum = sum * r + splat(1.0f / 120);
  sum = sum * r + splat(1.0f / 24);
  sum = sum * r + splat(1.0f / 6);
  sum = sum * r + splat(0.5f);
  sum = sum * r + splat(1.0f);
  sum = sum * r + splat(1.0f);
  const Ints exponent = (reinterpret_cast<Ints>(shifted) - reinterpret_cast<Ints>(magic)) << 23;
  return reinterpret_cast<Floats>(reinterpret_cast<Ints>(sum) + exponent);
}
inline Floats sigmoid(Floats x) {
  return splat(1.0f) / (splat(1.0f) + exponential(-x));
}
inline Floats hyperbolic_tangent(Floats x) {
  return splat(2.0f) / (splat(1.0f) + exponential(splat(-2.0f) * x)) - splat(1.0f);
}

/// Calls `body(column, load, store)` for all columns: kLanes at a time, fewer at the end of a row.
template <typename Body>
[[gnu::always_inline]] inline void for_columns(std::size_t columns, const Body& body) {
  const std::size_t whole = columns / kLanes * kLanes, rest = columns - whole;
  for (std::size_t column = 0; column < whole; column += kLanes) {
    body(
        column, [](const float* from) { return load(from); },
        [](float* to, Floats value) { store(to, value); });
  }
  if (rest == 0) return;
#if defined(__AVX512F__)
  const auto mask = static_cast<__mmask16>((1u << rest) - 1);
  body(
      whole, [&](const float* from) -> Floats { return _mm512_maskz_loadu_ps(mask, from); },
      [&](float* to, Floats value) { _mm512_mask_storeu_ps(to, mask, value); });
#else
  body(
      whole,
      [&](const float* from) {
        float lanes[kLanes] = {};
        for (std::size_t lane = 0; lane < rest; ++lane) lanes[lane] = from[lane];
        return load(lanes);
      },
      [&](float* to, Floats value) {
        float lanes[kLanes];
        store(lanes, value);
        for (std::size_t lane = 0; lane < rest; ++lane) to[lane] = lanes[lane];
      });
#endif
}

template <typename Load, typename Store>
[[gnu::always_inline]] inline void step_columns(const LstmStep<float>& step, std::size_t column,
                                                const Load& load_from, const Store& store_to) {
  Floats gates[4];
#pragma GCC unroll 4
  for (std::size_t gate = 0; gate < 4; ++gate) {
    const std::size_t at = gate * step.hidden + column;
    __builtin_prefetch(step.ahead + at);
    Floats added = load_from(step.bias + at);
    if (step.recurrent != nullptr) added = load_from(step.recurrent + at) + added;
    const Floats sum = load_from(step.gates + at) + added;
    gates[gate] = gate == 2 ? hyperbolic_tangent(sum) : sigmoid(sum);
  }
  Floats kept{};  // of the memory before
  if (step.memory_before != nullptr) kept = gates[1] * load_from(step.memory_before + column);
  const Floats memory = gates[0] * gates[2] + kept;
  const Floats squashed = hyperbolic_tangent(memory);
  store_to(step.memory + column, memory);
  store_to(step.state + column, gates[3] * squashed);
  if (step.squashed == nullptr) return;
  store_to(step.squashed + column, squashed);
#pragma GCC unroll 4
  for (std::size_t gate = 0; gate < 4; ++gate)
    store_to(step.gates + gate * step.hidden + column, gates[gate]);
}

void lstm_step(const LstmStep<float>& step) {
  for_columns(step.hidden, [&](std::size_t column, const auto& load_from, const auto& store_to) {
    step_columns(step, column, load_from, store_to);
  });
}

/// What to_half() and from_half() of base/float16.hpp make of a finite number.
inline Floats rounded_to_half(Floats x) {
  const Ints bits = reinterpret_cast<Ints>(x), sign = bits & INT32_MIN, magnitude = bits & INT32_MAX;
  const Ints largest = reinterpret_cast<Ints>(splat(65504.0f));
  const Ints bounded = magnitude < largest ? magnitude : largest;
  const Ints normal = (bounded + 0x0fff + ((bounded >> 13) & 1)) & ~0x1fff;
  // A subnormal is a multiple of 2^-24, which is the last bit of 0.5f.
  const Floats subnormal = (reinterpret_cast<Floats>(bounded) + splat(0.5f)) - splat(0.5f);
  const Ints least = reinterpret_cast<Ints>(splat(0x1.0p-14f));
  return reinterpret_cast<Floats>(sign | (bounded < least ? reinterpret_cast<Ints>(subnormal) : normal));
}

void mix_layers(const MixedWord& mix) {
  for_columns(mix.width, [&](std::size_t column, const auto& load_from, const auto& store_to) {
    Floats sum{};
    for (std::size_t layer = 0; layer < mix.layers; ++layer) {
      const std::size_t at = layer * mix.width + column;
      const Floats state = rounded_to_half(load_from(mix.states[layer] + column));
      sum += splat(mix.weights[layer]) * ((state - load_from(mix.offset + at)) * load_from(mix.factor + at));
    }
    store_to(mix.mixed + column, sum);
  });
}

}  // namespace

extern const NetworkKernels kNetworkKernels;
const NetworkKernels kNetworkKernels{.lstm_step = lstm_step, .mix_layers = mix_layers};

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
