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
  return -maximum(-a, -b);
}

/// Whether any lane is not zero.
[[maybe_unused]] inline bool any(Ints mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(mask), reinterpret_cast<__m512i>(mask)) != 0;
#elif defined(__AVX2__)
  return _mm256_testz_si256(reinterpret_cast<__m256i>(mask), reinterpret_cast<__m256i>(mask)) == 0;
#elif defined(__x86_64__)
  return _mm_movemask_epi8(reinterpret_cast<__m128i>(mask)) != 0;
#elif defined(__aarch64__)
  return vmaxvq_u32(reinterpret_cast<uint32x4_t>(mask)) != 0;
#else
  return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}

}  // namespace
}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
