// The neighbour filter beside its product: distances of a tile of coded pairs, and of single pairs.
#include "compute/cpu/kernels.hpp"
#include "compute/cpu/simd.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

template <std::size_t kVectors>
std::size_t select_columns(const std::int32_t* tile, std::size_t rows, const CodedQueries& queries,
                           const CodedBases& bases, TilePair* found) {
  constexpr std::size_t kColumns = kVectors * kLanes;
  [[maybe_unused]] constexpr std::size_t kMaxRows = 32;
  Floats scale[kVectors], norm[kVectors], limit[kVectors];
#pragma GCC unroll 4
  for (std::size_t v = 0; v < kVectors; ++v) {
    scale[v] = load(bases.scale + v * kLanes);
    norm[v] = load(bases.squared_norm + v * kLanes);
    limit[v] = load(bases.limit + v * kLanes);
  }
  const auto within = [&](std::size_t row, std::size_t v) {
    const Floats query_scale = load_copies(queries.scale + row * kQueryCopies);
    const Floats query_norm = load_copies(queries.squared_norm + row * kQueryCopies);
    const Floats query_limit = load_copies(queries.limit + row * kQueryCopies);
    const Floats product = __builtin_convertvector(load(tile + row * kColumns + v * kLanes), Floats);
    const Floats distance = about_fused(scale[v] * query_scale, product, norm[v] + query_norm);
    return at_most(distance, maximum(limit[v], query_limit));
  };
  std::size_t count = 0;
  const auto add = [&](std::size_t row, std::size_t column) {
    const float distance = about_fused(bases.scale[column] * queries.scale[row * kQueryCopies],
                                       static_cast<float>(tile[row * kColumns + column]),
                                       bases.squared_norm[column] + queries.squared_norm[row * kQueryCopies]);
    found[count++] = {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column), distance};
  };
#if defined(__aarch64__)
  // Sixteen bits for each row, eight rows at a time: one branch where there is none, one more per pair.
  for (std::size_t first = 0; first < rows; first += 8) {
    uint32x4_t row_bits[8];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < 8; ++i) {
      row_bits[i] = vdupq_n_u32(0);
      if (first + i >= rows) continue;
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) {
        const uint32x4_t weights = {1u << (4 * v), 2u << (4 * v), 4u << (4 * v), 8u << (4 * v)};
        row_bits[i] =
            vorrq_u32(row_bits[i], vandq_u32(reinterpret_cast<uint32x4_t>(within(first + i, v)), weights));
      }
    }
    const auto four = [&](std::size_t i) {
      return vmovn_u32(
          vpaddq_u32(vpaddq_u32(row_bits[i], row_bits[i + 1]), vpaddq_u32(row_bits[i + 2], row_bits[i + 3])));
    };
    const uint64x2_t words = vreinterpretq_u64_u16(vcombine_u16(four(0), four(4)));
    std::uint64_t word[2] = {vgetq_lane_u64(words, 0), vgetq_lane_u64(words, 1)};
    if ((word[0] | word[1]) == 0) continue;
    for (std::size_t half = 0; half < 2; ++half) {
      for (std::uint64_t left = word[half]; left != 0; left &= left - 1) {
        const auto bit = static_cast<unsigned>(__builtin_ctzll(left));
        add(first + 4 * half + bit / 16, bit % 16);
      }
    }
  }
#else
  // Most tiles hold no pair: first look for one without a branch, then, if there is any, find out which.
  Mask masks[kMaxRows * kVectors];
  Mask hit{};
  for (std::size_t row = 0; row < rows; ++row) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) {
      masks[row * kVectors + v] = within(row, v);
      hit = static_cast<Mask>(hit | masks[row * kVectors + v]);
    }
  }
  if (bits(hit) == 0) return 0;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      for (std::uint64_t left = bits(masks[row * kVectors + v]); left != 0;) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(left)) / kBitsPerLane;
        left &= ~(((std::uint64_t{1} << kBitsPerLane) - 1) << (lane * kBitsPerLane));
        add(row, v * kLanes + lane);
      }
    }
  }
#endif
  return count;
}

std::size_t select(const std::int32_t* tile, std::size_t tile_columns, std::size_t rows,
                   const CodedQueries& queries, const CodedBases& bases, TilePair* found) {
  switch (tile_columns / kLanes) {
    case 1:
      return select_columns<1>(tile, rows, queries, bases, found);
    case 2:
      return select_columns<2>(tile, rows, queries, bases, found);
    case 3:
      return select_columns<3>(tile, rows, queries, bases, found);
    default:
      return select_columns<4>(tile, rows, queries, bases, found);
  }
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

float distance(const std::int8_t* query, const std::int8_t* base, std::size_t length, float query_scale,
               float query_norm, float base_scale, float base_norm) {
  return about_fused(base_scale * (-2 * query_scale), static_cast<float>(dot(query, base, length)),
                     base_norm + query_norm);
}

}  // namespace

extern const PairKernels kPairKernels;
const PairKernels kPairKernels{.select = select, .distance = distance};

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
