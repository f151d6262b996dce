// Product of int8 rows for AVX2 (6 x 16 sums) and AVX-512 (12 x 32): widened to 16 bits, two products per
// lane by vpmaddwd, which cannot overflow for codes of at most 127.
#include "compute/cpu/kernels.hpp"
#include "compute/cpu/pack.hpp"
#include "compute/cpu/simd.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

constexpr std::size_t kRows = kLanes == 16 ? 12 : 6, kColumns = 2 * kLanes, kDepth = 2;

// Pairs of 16 bits from pairs of 8.
inline Ints widen(const std::int8_t* from) {
#if defined(__AVX512F__)
  return reinterpret_cast<Ints>(
      _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
#else
  return reinterpret_cast<Ints>(
      _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
#endif
}

inline Ints multiply_pairs(Ints a, Ints b) {
#if defined(__AVX512F__)
  return reinterpret_cast<Ints>(
      _mm512_madd_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#else
  return reinterpret_cast<Ints>(
      _mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#endif
}

void multiply(const void* query, const void* base, std::size_t length, std::int32_t* tile) {
  const auto* a = static_cast<const std::int32_t*>(query);  // pairs of 16 bits
  const auto* b = static_cast<const std::int8_t*>(base);
  Ints sum[kRows][2];
#pragma GCC unroll 12
  for (std::size_t row = 0; row < kRows; ++row) sum[row][0] = sum[row][1] = Ints{};
  for (std::size_t k = 0; k < length; k += kDepth, a += kRows, b += kColumns * kDepth) {
    const Ints b0 = widen(b), b1 = widen(b + kLanes * kDepth);
#pragma GCC unroll 12
    for (std::size_t row = 0; row < kRows; ++row) {
      const Ints value = Ints{} + a[row];
      sum[row][0] += multiply_pairs(value, b0);
      sum[row][1] += multiply_pairs(value, b1);
    }
  }
#pragma GCC unroll 12
  for (std::size_t row = 0; row < kRows; ++row) {
    __builtin_memcpy(tile + row * kColumns, &sum[row][0], sizeof(Ints));
    __builtin_memcpy(tile + row * kColumns + kLanes, &sum[row][1], sizeof(Ints));
  }
}

}  // namespace

extern const CodeKernel kCodes;
const CodeKernel kCodes{.query = {kRows, kDepth},
                        .base = {kColumns, kDepth},
                        .depth = kDepth,
                        .query_bytes = 2,
                        .base_bytes = 1,
                        .base_extra_bytes = 0,
                        .pack_query = pack_panel<AsInt16, kRows, kDepth, std::int8_t>,
                        .pack_base = pack_panel<AsInt8, kColumns, kDepth, std::int8_t>,
                        .multiply = multiply};

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
