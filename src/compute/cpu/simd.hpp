// A vector of floats as wide as the instruction set the file is compiled for, for kernel sources only.
// Compiler vectors give the operators; this adds what they lack. Everything is in an unnamed namespace, so
// nothing leaves the object.
//
// Every operation gives the same bits on every instruction set (docs/background/decisions/013): +, -, *, /
// are IEEE, `fused` rounds once even where the hardware cannot, and a sum over lanes is made by
// vector_math.hpp, which does not ask how wide a register is.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t kLanes = 16;
#elif defined(__AVX2__)
constexpr std::size_t kLanes = 8;
#else
constexpr std::size_t kLanes = 4;
#endif

typedef float Floats __attribute__((vector_size(kLanes * 4)));
typedef std::int32_t Ints __attribute__((vector_size(kLanes * 4)));

[[maybe_unused]] inline Floats load(const float* from) {
  Floats result;
  __builtin_memcpy(&result, from, sizeof result);
  return result;
}
[[maybe_unused]] inline Ints load(const std::int32_t* from) {
  Ints result;
  __builtin_memcpy(&result, from, sizeof result);
  return result;
}
[[maybe_unused]] inline void store(float* to, Floats value) {
  __builtin_memcpy(to, &value, sizeof value);
}
[[maybe_unused]] inline Floats splat(float value) {
#if defined(__AVX512F__)
  return _mm512_set1_ps(value);
#elif defined(__AVX2__)
  return _mm256_set1_ps(value);
#else
  return Floats{value, value, value, value};
#endif
}

/// A splat of `from[0]`, which stands there four times.
[[maybe_unused]] inline Floats load_copies(const float* from) {
  if constexpr (kLanes == 4) return load(from);
  return splat(*from);
}

#if defined(__FMA__) || defined(__aarch64__)
#define MARKEVAL_HAS_FMA 1
#else
#define MARKEVAL_HAS_FMA 0

// x86-64 before 2013 has no fused multiply-add, so it is computed in double, where the product is exact.
// The sum is rounded to 53 bits and then to 24. Rounding twice goes wrong only where the first rounding was
// not exact and its result lies half-way between two floats; `round_to_odd` moves such a sum off the middle,
// to the side where the true value is.
typedef double TwoDoubles __attribute__((vector_size(16)));
typedef std::int64_t TwoLongs __attribute__((vector_size(16)));

/// `sum` is a + b rounded. Returns the neighbour of `sum` with an odd last bit that has a + b between itself
/// and an even one; `sum` itself where the sum is exact, odd already or not finite.
[[gnu::noinline, gnu::cold]] inline TwoDoubles round_to_odd(TwoDoubles a, TwoDoubles b, TwoDoubles sum) {
  const TwoDoubles part = sum - a;
  const TwoDoubles error = (a - (sum - part)) + (b - part);  // exact (Knuth's two-sum)
  const TwoLongs bits = reinterpret_cast<TwoLongs>(sum);
  const TwoLongs is_inexact = (error < 0.0) | (error > 0.0);  // no comparison with NaN is true
  const TwoLongs is_away = ~((error < 0.0) ^ (sum < 0.0));    // the true sum is larger in magnitude
  const TwoLongs step = (is_away & 1) | (~is_away & -1);
  return reinterpret_cast<TwoDoubles>(bits + (step & is_inexact & ((bits & 1) - 1)));
}

/// Whether one of the sums may be half-way between two floats, or becomes one below the normal range.
inline bool any_needs_care(TwoDoubles first, TwoDoubles second) {
  const Ints a = reinterpret_cast<Ints>(first), b = reinterpret_cast<Ints>(second);
  const Ints low = __builtin_shufflevector(a, b, 0, 2, 4, 6);
  const Ints high = __builtin_shufflevector(a, b, 1, 3, 5, 7);
  const Ints result = ((low & 0x1fffffff) == 0x10000000) | ((high & 0x7fffffff) < 0x38100000);
  return _mm_movemask_ps(reinterpret_cast<__m128>(result)) != 0;
}

inline Floats emulated_fused(Floats a, Floats b, Floats c) {
  const auto first_two = [](Floats x) -> TwoDoubles { return _mm_cvtps_pd(x); };
  const auto last_two = [](Floats x) -> TwoDoubles { return _mm_cvtps_pd(_mm_movehl_ps(x, x)); };
  const TwoDoubles product[2] = {first_two(a) * first_two(b), last_two(a) * last_two(b)};
  const TwoDoubles addend[2] = {first_two(c), last_two(c)};
  TwoDoubles sum[2] = {product[0] + addend[0], product[1] + addend[1]};
  if (__builtin_expect(any_needs_care(sum[0], sum[1]), 0)) {
    sum[0] = round_to_odd(product[0], addend[0], sum[0]);
    sum[1] = round_to_odd(product[1], addend[1], sum[1]);
  }
  return _mm_movelh_ps(_mm_cvtpd_ps(sum[0]), _mm_cvtpd_ps(sum[1]));
}
#endif

/// a * b + c, rounded once.
[[maybe_unused]] inline Floats fused(Floats a, Floats b, Floats c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(__AVX2__)
  return _mm256_fmadd_ps(a, b, c);
#elif defined(__FMA__)
  return _mm_fmadd_ps(a, b, c);
#elif defined(__aarch64__)
  return vfmaq_f32(c, a, b);
#else
  return emulated_fused(a, b, c);
#endif
}

/// a * b + c, rounded once or twice, whichever is fast: for filters that allow for an error.
[[maybe_unused]] inline Floats about_fused(Floats a, Floats b, Floats c) {
#if MARKEVAL_HAS_FMA
  return fused(a, b, c);
#else
  return a * b + c;
#endif
}
/// The same for one lane, with the same bits.
[[maybe_unused]] inline float about_fused(float a, float b, float c) {
#if MARKEVAL_HAS_FMA
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

[[maybe_unused]] inline Floats maximum(Floats a, Floats b) {
#if defined(__AVX512F__)
  return _mm512_max_ps(a, b);
#elif defined(__AVX2__)
  return _mm256_max_ps(a, b);
#elif defined(__x86_64__)
  return _mm_max_ps(a, b);
#elif defined(__aarch64__)
  return vmaxq_f32(a, b);
#else
  return a > b ? a : b;
#endif
}
[[maybe_unused]] inline Floats minimum(Floats a, Floats b) {
#if defined(__AVX512F__)
  return _mm512_min_ps(a, b);
#elif defined(__AVX2__)
  return _mm256_min_ps(a, b);
#elif defined(__x86_64__)
  return _mm_min_ps(a, b);
#elif defined(__aarch64__)
  return vminq_f32(a, b);
#else
  return a < b ? a : b;
#endif
}
[[maybe_unused]] inline Floats magnitude(Floats a) {
  return reinterpret_cast<Floats>(reinterpret_cast<Ints>(a) & 0x7fffffff);
}

/// The lanes a comparison found true. `bits` gives a word in which lane i has a one at bit i * kBitsPerLane,
/// and perhaps at the bits above up to those of the next lane.
#if defined(__AVX512F__)
typedef __mmask16 Mask;
constexpr unsigned kBitsPerLane = 1;
[[maybe_unused]] inline Mask at_most(Floats a, Floats b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
}
[[maybe_unused]] inline std::uint64_t bits(Mask mask) {
  return mask;
}
#else
typedef Ints Mask;
[[maybe_unused]] inline Mask at_most(Floats a, Floats b) {
  return a <= b;
}
#if defined(__AVX2__)
constexpr unsigned kBitsPerLane = 1;
[[maybe_unused]] inline std::uint64_t bits(Mask mask) {
  return static_cast<std::uint64_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
}
#elif defined(__x86_64__)
constexpr unsigned kBitsPerLane = 1;
[[maybe_unused]] inline std::uint64_t bits(Mask mask) {
  return static_cast<std::uint64_t>(_mm_movemask_ps(reinterpret_cast<__m128>(mask)));
}
#elif defined(__aarch64__)
constexpr unsigned kBitsPerLane = 16;
[[maybe_unused]] inline std::uint64_t bits(Mask mask) {
  return vget_lane_u64(vreinterpret_u64_u16(vmovn_u32(reinterpret_cast<uint32x4_t>(mask))), 0);
}
#else
constexpr unsigned kBitsPerLane = 1;
[[maybe_unused]] inline std::uint64_t bits(Mask mask) {
  return static_cast<std::uint64_t>((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
}
#endif
#endif

}  // namespace
}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
