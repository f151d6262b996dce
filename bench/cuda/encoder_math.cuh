// The float32 arithmetic of decision 013, written once for a number and for a vector of them, host and
// device: e^x, gelu, silu, tanh, and the order of a sum. Each line is one IEEE operation; compile with
// -fmad=false (nvcc) or -ffp-contract=off, so that only what is written as fused is fused.
// encoder_math_test.cpp holds it against the kernels of compute/cpu.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace encoder {

#ifdef __CUDACC__
#define ENCODER_MATH __host__ __device__ inline
#define ENCODER_UNROLL _Pragma("unroll")
#else
#define ENCODER_MATH inline
#define ENCODER_UNROLL _Pragma("GCC unroll 8")
#endif

/// What the templates below ask of a type of numbers. A vector type of a CPU brings a specialisation of its
/// own, with its own fused multiply-add; comparisons and `?:` work number by number there.
template <typename Number>
struct Numbers;
template <>
struct Numbers<float> {
  using Bits = std::uint32_t;
  ENCODER_MATH static float all(float value) { return value; }
  ENCODER_MATH static float fused(float a, float b, float c) { return fmaf(a, b, c); }
};

template <typename To, typename From>
ENCODER_MATH To same_bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

/// e^x with a relative error below 2e-7 for x in [-87, 88]; 0 below that, never more than e^88 above it.
/// x = n ln 2 + r with |r| <= ln 2 / 2, and e^r by its Taylor sum to r^7 / 7!.
template <typename Number>
ENCODER_MATH Number exponential(Number x) {
  using N = Numbers<Number>;
  using Bits = typename N::Bits;
  const Number least = N::all(-87.0f), most = N::all(88.0f);
  const Number bounded = x < least ? least : x;
  const Number clamped = bounded > most ? most : bounded;
  const Number magic = N::all(12582912.0f);  // 1.5 * 2^23: adding it rounds to an integer in the low bits
  const Number shifted = N::fused(clamped, N::all(1.44269504f), magic);
  const Number n = shifted - magic;
  Number r = N::fused(n, N::all(-0.693145751953125f), clamped);  // ln 2 in two parts
  r = N::fused(n, N::all(-1.42860677e-6f), r);
  Number sum = N::all(1.0f / 5040);
  sum = N::fused(sum, r, N::all(1.0f / 720));
  sum = N::fused(sum, r, N::all(1.0f / 120));
  sum = N::fused(sum, r, N::all(1.0f / 24));
  sum = N::fused(sum, r, N::all(1.0f / 6));
  sum = N::fused(sum, r, N::all(0.5f));
  sum = N::fused(sum, r, N::all(1.0f));
  sum = N::fused(sum, r, N::all(1.0f));
  const Bits exponent = (same_bits<Bits>(shifted) - same_bits<Bits>(magic)) << 23;
  const Number result = same_bits<Number>(Bits(same_bits<Bits>(sum) + exponent));
  const Number bounded_below = x < least ? N::all(0.0f) : result;
  return x == x ? bounded_below : x;  // the NaN of a card has bits of which the sum above would make a number
}

/// (1 - e^(-2|x|)) / (1 + e^(-2|x|)) with the sign of x.
template <typename Number>
ENCODER_MATH Number hyperbolic_tangent(Number x) {
  using N = Numbers<Number>;
  const Number zero = N::all(0.0f), one = N::all(1.0f);
  const Number magnitude = x < zero ? -x : x;
  const Number power = exponential<Number>(N::all(-2.0f) * magnitude);
  const Number result = (one - power) / (one + power);
  return x < zero ? -result : result;
}
template <typename Number>
ENCODER_MATH Number gelu_tanh(Number x) {
  using N = Numbers<Number>;
  const Number inner = N::fused(x * x * x, N::all(0.044715f), x) * N::all(0.797884560802865f);
  return N::all(0.5f) * x * (N::all(1.0f) + hyperbolic_tangent<Number>(inner));
}
template <typename Number>
ENCODER_MATH Number silu(Number x) {
  return x / (Numbers<Number>::all(1.0f) + exponential<Number>(-x));
}

template <typename Number>
ENCODER_MATH Number relu(Number x) {
  const Number zero = Numbers<Number>::all(0.0f);
  return x < zero ? zero : x;
}
/// x Phi(x) = max(x, 0) - a erfc(a / sqrt 2) / 2 with a = |x|: a polynomial in 2 a / kEdge - 1, its terms
/// added in pairs, pairs of pairs and so on (compute/cpu/finish_tile.cpp).
template <typename Number>
ENCODER_MATH Number gelu(Number x) {
  using N = Numbers<Number>;
  using Bits = typename N::Bits;
  constexpr float kEdge = 5.5f;
  constexpr float kGelu[] = {0.0029797731f,  -0.0250080843f, 0.0945581123f,  -0.2068073f,
                             0.271885127f,   -0.177171946f,  -0.051355388f,  0.21845147f,
                             -0.163230464f,  -0.0349086374f, 0.133552879f,   -0.049204953f,
                             -0.0438458435f, 0.0303149428f,  0.00545335468f, -0.00566305593f};
  const Number edge = N::all(kEdge), size = same_bits<Number>(Bits(same_bits<Bits>(x) & 0x7fffffffu));
  const Number a = size > edge ? edge : size;
  const Number t = N::fused(a, N::all(2 / kEdge), N::all(-1.0f));
  Number terms[8];
  ENCODER_UNROLL
  for (int i = 0; i < 8; ++i) terms[i] = N::fused(N::all(kGelu[2 * i + 1]), t, N::all(kGelu[2 * i]));
  Number power = t * t;
  ENCODER_UNROLL
  for (int count = 4; count > 0; count /= 2) {
    ENCODER_UNROLL
    for (int i = 0; i < count; ++i) terms[i] = N::fused(terms[2 * i + 1], power, terms[2 * i]);
    power = power * power;
  }
  return N::fused(-a, terms[0], relu<Number>(x));
}

/// Sixteen running sums, term i in sum i % 16, are added in halves: i and i + 8, then i and i + 4, and so on.
ENCODER_MATH float total(const float (&sums)[16]) {
  float halves[16];
  for (int i = 0; i < 16; ++i) halves[i] = sums[i];
  ENCODER_UNROLL
  for (int count = 8; count > 0; count /= 2) {
    ENCODER_UNROLL
    for (int i = 0; i < count; ++i) halves[i] = halves[i] + halves[i + count];
  }
  return halves[0];
}

}  // namespace encoder
