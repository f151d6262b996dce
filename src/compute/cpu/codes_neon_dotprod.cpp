// Product of int8 rows by sdot: four products per lane, 8 x 12 sums in 24 registers.
#include <arm_neon.h>

#include <cstddef>

#include "compute/cpu/kernels.hpp"
#include "compute/cpu/pack.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

constexpr std::size_t kRows = 8, kColumns = 12, kDepth = 4;
static_assert(kPairBounds == kDepth);

using Sums = int32x4_t[kRows][3];

[[gnu::always_inline]] inline void add_products(const void* query, const void* base, std::size_t length,
                                                Sums& sum) {
  const auto* a = static_cast<const std::int8_t*>(query);
  const auto* b = static_cast<const std::int8_t*>(base);
  for (std::size_t k = 0; k < length; k += kDepth, a += kRows * kDepth, b += kColumns * kDepth) {
    const int8x16_t a0 = vld1q_s8(a), a1 = vld1q_s8(a + 16);
    const int8x16_t b0 = vld1q_s8(b), b1 = vld1q_s8(b + 16), b2 = vld1q_s8(b + 32);
#define MARKEVAL_ROW(row, values, lane)                         \
  sum[row][0] = vdotq_laneq_s32(sum[row][0], b0, values, lane); \
  sum[row][1] = vdotq_laneq_s32(sum[row][1], b1, values, lane); \
  sum[row][2] = vdotq_laneq_s32(sum[row][2], b2, values, lane)
    MARKEVAL_ROW(0, a0, 0);
    MARKEVAL_ROW(1, a0, 1);
    MARKEVAL_ROW(2, a0, 2);
    MARKEVAL_ROW(3, a0, 3);
    MARKEVAL_ROW(4, a1, 0);
    MARKEVAL_ROW(5, a1, 1);
    MARKEVAL_ROW(6, a1, 2);
    MARKEVAL_ROW(7, a1, 3);
#undef MARKEVAL_ROW
  }
}

[[gnu::always_inline]] inline void store(const Sums& sum, std::int32_t* tile) {
#pragma GCC unroll 8
  for (std::size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 3
    for (std::size_t part = 0; part < 3; ++part) vst1q_s32(tile + row * kColumns + part * 4, sum[row][part]);
  }
}

/// Pairwise maxima, which no compiler puts into one long chain.
[[gnu::always_inline]] inline bool all_negative(const Sums& sum) {
  int32x4_t most[kRows];
#pragma GCC unroll 4
  for (std::size_t row = 0; row < kRows; row += 2) {
    most[row] = vpmaxq_s32(vpmaxq_s32(sum[row][0], sum[row][1]), vpmaxq_s32(sum[row][2], sum[row + 1][0]));
    most[row + 1] = vpmaxq_s32(sum[row + 1][1], sum[row + 1][2]);
  }
  const int32x4_t low = vpmaxq_s32(vpmaxq_s32(most[0], most[2]), vpmaxq_s32(most[4], most[6]));
  const int32x4_t high = vpmaxq_s32(vpmaxq_s32(most[1], most[3]), vpmaxq_s32(most[5], most[7]));
  return vmaxvq_s32(vpmaxq_s32(low, high)) < 0;
}

void multiply(const void* query, const void* base, std::size_t length, std::int32_t* tile) {
  Sums sum;
#pragma GCC unroll 8
  for (std::size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 3
    for (std::size_t part = 0; part < 3; ++part) sum[row][part] = vdupq_n_s32(0);
  }
  add_products(query, base, length, sum);
  store(sum, tile);
}

/// The pairs of a tile whose sum is not negative and whose distance is within a limit. Seldom called, and
/// kept apart so that the loop around it needs few registers.
[[gnu::noinline]] std::size_t collect(const std::int32_t* tile, std::size_t first, std::size_t rows,
                                      const WholeLimits& limits, const CodedQueries& queries,
                                      const CodedBases& bases, TilePair* found) {
  // Sixteen bits for each row.
  uint32x4_t row_bits[kRows];
#pragma GCC unroll 8
  for (std::size_t row = 0; row < kRows; ++row) {
    row_bits[row] = vdupq_n_u32(0);
#pragma GCC unroll 3
    for (std::size_t part = 0; part < 3; ++part) {
      const uint32x4_t weights = {1u << (4 * part), 2u << (4 * part), 4u << (4 * part), 8u << (4 * part)};
      const int32x4_t sums = vld1q_s32(tile + row * kColumns + part * 4);
      row_bits[row] = vorrq_u32(row_bits[row], vandq_u32(vcgezq_s32(sums), weights));
    }
  }
  const auto four = [&](std::size_t row) {
    return vmovn_u32(vpaddq_u32(vpaddq_u32(row_bits[row], row_bits[row + 1]),
                                vpaddq_u32(row_bits[row + 2], row_bits[row + 3])));
  };
  const std::uint64_t words[2] = {vget_lane_u64(vreinterpret_u64_u16(four(0)), 0),
                                  vget_lane_u64(vreinterpret_u64_u16(four(4)), 0)};
  std::size_t count = 0;
  for (std::size_t half = 0; half < 2; ++half) {
    for (std::uint64_t left = words[half]; left != 0; left &= left - 1) {
      const auto bit = static_cast<unsigned>(__builtin_ctzll(left));
      const std::size_t row = 4 * half + bit / 16, column = bit % 16;
      const std::size_t side = (first + row) * kQueryCopies;
      const std::int32_t by_query = limits.query_reach[side], by_base = limits.base_reach[column];
      const std::int8_t* const a = limits.query_bounds + (first + row) * kPairBounds;
      const std::int8_t* const b = limits.base_bounds + column * kPairBounds;
      const std::int32_t begin = (by_query > by_base ? by_query : by_base) + a[2] * b[2] + a[3] * b[3];
      // As PairKernels::select does it.
      const float distance = __builtin_fmaf(bases.scale[column] * queries.scale[side],
                                            static_cast<float>(tile[row * kColumns + column] - begin),
                                            bases.squared_norm[column] + queries.squared_norm[side]);
      found[count] = {static_cast<std::uint32_t>(first + row), static_cast<std::uint32_t>(column), distance};
      const bool within = distance <= bases.limit[column] || distance <= queries.limit[side];
      count += first + row < rows && within ? 1 : 0;
    }
  }
  return count;
}

std::size_t multiply_select(const QueryPanels& query, const void* base, std::size_t length,
                            const WholeLimits& limits, const CodedQueries& queries, const CodedBases& bases,
                            TilePair* found) {
  const auto* panel = static_cast<const std::byte*>(query.first);
  const std::size_t early = limits.first_columns;
  std::size_t count = 0;
  for (std::size_t first = 0; first < query.rows; first += kRows, panel += query.panel_bytes) {
    Sums sum;
#pragma GCC unroll 8
    for (std::size_t row = 0; row < kRows; ++row) {
      const int32x4_t reach = vld1q_s32(limits.query_reach + (first + row) * kQueryCopies);
#pragma GCC unroll 3
      for (std::size_t part = 0; part < 3; ++part) {
        sum[row][part] = vmaxq_s32(reach, vld1q_s32(limits.base_reach + part * 4));
      }
    }
    const std::int8_t* const bounds = limits.query_bounds + first * kPairBounds;
    add_products(bounds, limits.base_bounds, kPairBounds, sum);
    if (early != 0) {
      add_products(panel, base, early, sum);
      if (all_negative(sum)) continue;
      add_products(bounds, limits.base_back, kPairBounds, sum);
    }
    add_products(panel + early * kRows, static_cast<const std::int8_t*>(base) + early * kColumns,
                 length - early, sum);
    if (all_negative(sum)) continue;
    std::int32_t tile[kRows * kColumns];
    store(sum, tile);
    count += collect(tile, first, query.rows, limits, queries, bases, found + count);
  }
  return count;
}

}  // namespace

extern const CodeKernel kCodes;
const CodeKernel kCodes{.query = {kRows, kDepth},
                        .base = {kColumns, kDepth},
                        .depth = kDepth,
                        .query_bytes = 1,
                        .base_bytes = 1,
                        .base_extra_bytes = 0,
                        .rest_cost = 0.2,  // measured on words: so many tiles go on
                        .pack_query = pack_panel<AsInt8, kRows, kDepth, std::int8_t>,
                        .pack_base = pack_panel<AsInt8, kColumns, kDepth, std::int8_t>,
                        .multiply = multiply,
                        .multiply_select = multiply_select};

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
