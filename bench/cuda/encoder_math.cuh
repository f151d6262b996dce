// The float32 arithmetic of decision 013, one number at a time, for host and device: exp, gelu and the sums
// over a row. Each line is one IEEE operation; compile with -fmad=false, so that only what is written as
// fused is fused.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace encoder {

#ifdef __CUDACC__
#define ENCODER_MATH __host__ __device__ inline
#else
#define ENCODER_MATH inline
#endif

ENCODER_MATH std::int32_t bits_of(float value) {
  std::int32_t result;
  memcpy(&result, &value, 4);
  return result;
}
ENCODER_MATH float float_of(std::int32_t bits) {
  float result;
  memcpy(&result, &bits, 4);
  return result;
}

/// compute/cpu/vector_math.hpp, exponential.
ENCODER_MATH float exponential(float x) {
  const float bounded = x < -87.0f ? -87.0f : x;
  const float clamped = bounded > 88.0f ? 88.0f : bounded;
  const float magic = 12582912.0f;
  const float shifted = fmaf(clamped, 1.44269504f, magic);
  const float n = shifted - magic;
  float r = fmaf(n, -0.693145751953125f, clamped);
  r = fmaf(n, -1.42860677e-6f, r);
  float sum = 1.0f / 5040;
  sum = fmaf(sum, r, 1.0f / 720);
  sum = fmaf(sum, r, 1.0f / 120);
  sum = fmaf(sum, r, 1.0f / 24);
  sum = fmaf(sum, r, 1.0f / 6);
  sum = fmaf(sum, r, 0.5f);
  sum = fmaf(sum, r, 1.0f);
  sum = fmaf(sum, r, 1.0f);
  const std::int32_t exponent =
      static_cast<std::int32_t>(static_cast<std::uint32_t>(bits_of(shifted) - bits_of(magic)) << 23);
  const float result = float_of(bits_of(sum) + exponent);
  if (x != x) return x;  // the NaN of a card has other bits, which the sum above would make a number
  return x < -87.0f ? 0.0f : result;
}

/// compute/cpu/finish_tile.cpp, gelu.
ENCODER_MATH float gelu(float x) {
  constexpr float kEdge = 5.5f;
  constexpr float kGelu[] = {0.0029797731f,  -0.0250080843f, 0.0945581123f,  -0.2068073f,
                             0.271885127f,   -0.177171946f,  -0.051355388f,  0.21845147f,
                             -0.163230464f,  -0.0349086374f, 0.133552879f,   -0.049204953f,
                             -0.0438458435f, 0.0303149428f,  0.00545335468f, -0.00566305593f};
  const float size = fabsf(x);
  const float a = size > kEdge ? kEdge : size;
  const float t = fmaf(a, 2 / kEdge, -1.0f);
  float terms[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) terms[i] = fmaf(kGelu[2 * i + 1], t, kGelu[2 * i]);
  float power = t * t;
#pragma unroll
  for (int count = 4; count > 0; count /= 2) {
#pragma unroll
    for (int i = 0; i < count; ++i) terms[i] = fmaf(terms[2 * i + 1], power, terms[2 * i]);
    power *= power;
  }
  return fmaf(-a, terms[0], x < 0 ? 0.0f : x);
}

/// compute/cpu/transformer_kernels.cpp: (1 - e^(-2|x|)) / (1 + e^(-2|x|)) with the sign of x.
ENCODER_MATH float hyperbolic_tangent(float x) {
  const float magnitude = x < 0 ? -x : x;
  const float power = exponential(-2.0f * magnitude);
  const float result = (1.0f - power) / (1.0f + power);
  return x < 0 ? -result : result;
}
ENCODER_MATH float gelu_tanh(float x) {
  const float inner = fmaf(x * x * x, 0.044715f, x) * 0.797884560802865f;
  return 0.5f * x * (1.0f + hyperbolic_tangent(inner));
}
ENCODER_MATH float silu(float x) {
  return x / (1.0f + exponential(-x));
}

/// Sixteen running sums added in halves.
ENCODER_MATH float total(const float (&sums)[16]) {
  float eight[8], four[4];
#pragma unroll
  for (int i = 0; i < 8; ++i) eight[i] = sums[i] + sums[i + 8];
#pragma unroll
  for (int i = 0; i < 4; ++i) four[i] = eight[i] + eight[i + 4];
  return (four[0] + four[2]) + (four[1] + four[3]);
}

}  // namespace encoder
