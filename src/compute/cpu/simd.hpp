// A vector of floats as wide as the instruction set the file is compiled for, for kernel sources only.
// Compiler vectors give the operators; this adds what they lack. Everything is in an unnamed namespace, so
// nothing leaves the object.
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

/// a * b + c, rounded once where the instruction set can.
[[maybe_unused]] inline Floats fused(Floats a, Floats b, Floats c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(__AVX2__)
  return _mm256_fmadd_ps(a, b, c);
#elif defined(__aarch64__)
  return vfmaq_f32(c, a, b);
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
#if defined(__aarch64__)
  return vabsq_f32(a);
#else
  return maximum(a, -a);
#endif
}

/// a * b + c of one lane, with the same bits as `fused`.
[[maybe_unused]] inline float fused(float a, float b, float c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
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
