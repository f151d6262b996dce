// The neighbour filter beside its product: distances of a tile of coded pairs, and of single pairs.
#include "compute/cpu/kernels.hpp"
#include "compute/cpu/simd.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

bool distances(std::int32_t* tile, std::size_t tile_columns, std::size_t rows, const CodedSide& query,
               const CodedSide& base, std::uint8_t* row_has_hit) {
  bool tile_has_hit = false;
  for (std::size_t row = 0; row < rows; ++row) {
    const Floats scale = splat(-2 * query.scale[row]);
    const Floats norm = splat(query.squared_norm[row]);
    const Floats limit = splat(query.limit[row]);
    std::int32_t* const values = tile + row * tile_columns;
    Ints within{};
    for (std::size_t i = 0; i < tile_columns; i += kLanes) {
      const Floats product = __builtin_convertvector(load(values + i), Floats);
      const Floats distance =
          fused(load(base.scale + i) * scale, product, load(base.squared_norm + i) + norm);
      within |= distance <= maximum(load(base.limit + i), limit);
      __builtin_memcpy(values + i, &distance, sizeof distance);
    }
    const bool hit = any(within);
    row_has_hit[row] = hit;
    tile_has_hit |= hit;
  }
  return tile_has_hit;
}

std::int32_t dot(const std::int8_t* a, const std::int8_t* b, std::size_t length) {
#if defined(__ARM_FEATURE_DOTPROD)
  int32x4_t sum[4] = {};
  for (std::size_t i = 0; i < length; i += 64) {
#pragma GCC unroll 4
    for (std::size_t part = 0; part < 4; ++part) {
      sum[part] = vdotq_s32(sum[part], vld1q_s8(a + i + 16 * part), vld1q_s8(b + i + 16 * part));
    }
  }
  return vaddvq_s32(sum[0] + sum[1] + (sum[2] + sum[3]));
#elif defined(__AVX512VNNI__)
  // As in codes_avx512_vnni.cpp: (a + 128) b, less 128 b.
  const __m512i offset = _mm512_set1_epi8(-128);
  __m512i sum = _mm512_setzero_si512(), excess = _mm512_setzero_si512();
  for (std::size_t i = 0; i < length; i += 64) {
    const __m512i values = _mm512_loadu_si512(b + i);
    sum = _mm512_dpbusd_epi32(sum, _mm512_xor_si512(_mm512_loadu_si512(a + i), offset), values);
    excess = _mm512_dpbusd_epi32(excess, offset, values);
  }
  return _mm512_reduce_add_epi32(_mm512_sub_epi32(sum, excess));
#elif defined(__AVX2__)
  __m256i sum[2] = {};
  for (std::size_t i = 0; i < length; i += 32) {
#pragma GCC unroll 2
    for (std::size_t part = 0; part < 2; ++part) {
      const auto* const left = reinterpret_cast<const __m128i*>(a + i + 16 * part);
      const auto* const right = reinterpret_cast<const __m128i*>(b + i + 16 * part);
      sum[part] =
          _mm256_add_epi32(sum[part], _mm256_madd_epi16(_mm256_cvtepi8_epi16(_mm_loadu_si128(left)),
                                                        _mm256_cvtepi8_epi16(_mm_loadu_si128(right))));
    }
  }
  const __m256i both = _mm256_add_epi32(sum[0], sum[1]);
  __m128i four = _mm_add_epi32(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0xb1));
  return _mm_cvtsi128_si32(four);
#else
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < length; ++i)
    sum += static_cast<std::int16_t>(a[i]) * static_cast<std::int16_t>(b[i]);
  return sum;
#endif
}

}  // namespace

extern const PairKernels kPairKernels;
const PairKernels kPairKernels{.distances = distances, .dot = dot};

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
