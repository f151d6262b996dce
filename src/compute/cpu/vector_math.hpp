// Sums over lanes and the exponential function on the vectors of simd.hpp, for kernel sources only.
#pragma once

#include "compute/cpu/simd.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

/// Sums are kept in so many running sums on every instruction set, in one register of AVX-512 or four of
/// NEON: term i goes to sum i % kSums. So the bits do not depend on the width of a register.
constexpr std::size_t kSums = 16;
constexpr std::size_t kSumParts = kSums / kLanes;

/// kSums running sums.
struct RunningSums {
  Floats part[kSumParts] = {};
};

/// Running sums are added in halves: i and i + 8, then i and i + 4, and so on.
[[maybe_unused]] inline float total(const RunningSums& sums) {
#if defined(__AVX2__)
#if defined(__AVX512F__)
  const __m256 eight =
      _mm256_add_ps(_mm512_castps512_ps256(sums.part[0]), _mm512_extractf32x8_ps(sums.part[0], 1));
#else
  const __m256 eight = sums.part[0] + sums.part[1];
#endif
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
#else
  const Floats four = (sums.part[0] + sums.part[2]) + (sums.part[1] + sums.part[3]);
  return (four[0] + four[2]) + (four[1] + four[3]);
#endif
}
[[maybe_unused]] inline float maximum_of_lanes(Floats value) {
#if defined(__AVX2__)
#if defined(__AVX512F__)
  const __m256 eight = _mm256_max_ps(_mm512_castps512_ps256(value), _mm512_extractf32x8_ps(value, 1));
#else
  const __m256 eight = value;
#endif
  const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps(two, two, 1)));
#elif defined(__aarch64__)
  return vmaxvq_f32(value);
#else
  const float a = value[0] > value[2] ? value[0] : value[2];
  const float b = value[1] > value[3] ? value[1] : value[3];
  return a > b ? a : b;
#endif
}

/// e^x with a relative error below 2e-7 for x in [-87, 88]; 0 below that, and never more than e^88 above it.
/// NaN stays NaN. x = n ln 2 + r with |r| <= ln 2 / 2, and e^r by its Taylor sum to r^7 / 7! (error 3e-8).
[[maybe_unused]] inline Floats exponential(Floats x) {
  const Floats bounded = x < splat(-87.0f) ? splat(-87.0f) : x;
  const Floats clamped = bounded > splat(88.0f) ? splat(88.0f) : bounded;
  const Floats magic = splat(12582912.0f);  // 1.5 * 2^23: adding it rounds to an integer in the low bits
  const Floats shifted = fused(clamped, splat(1.44269504f), magic);
  const Floats n = shifted - magic;
  Floats r = fused(n, splat(-0.693145751953125f), clamped);  // ln 2 in two parts
  r = fused(n, splat(-1.42860677e-6f), r);
  Floats sum = splat(1.0f / 5040);
  sum = fused(sum, r, splat(1.0f / 720));
  sum = fused(sum, r, splat(1.0f / 120));
  sum = fused(sum, r, splat(1.0f / 24));
  sum = fused(sum, r, splat(1.0f / 6));
  sum = fused(sum, r, splat(0.5f));
  sum = fused(sum, r, splat(1.0f));
  sum = fused(sum, r, splat(1.0f));
  const Ints exponent = (reinterpret_cast<Ints>(shifted) - reinterpret_cast<Ints>(magic)) << 23;
  const Floats result = reinterpret_cast<Floats>(reinterpret_cast<Ints>(sum) + exponent);
  const Floats kept = x == x ? result : x;  // the sum above is made of bits, and a NaN's would count too
  return x < splat(-87.0f) ? Floats{} : kept;
}

}  // namespace
}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
