// Product of int8 rows by vpdpbusd: 12 x 32 sums, four products per lane. The instruction wants one side
// unsigned, so queries are stored as code + 128, and every sum starts at -128 times the sum of the base row,
// which pack_base writes behind the panel. Sums wrap around on the way and are right at the end.
#include <immintrin.h>

#include "compute/cpu/kernels.hpp"
#include "compute/cpu/pack.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

constexpr std::size_t kRows = 12, kColumns = 32, kDepth = 4;

struct AsUnsigned {
  using Packed = std::uint8_t;
  static std::uint8_t convert(std::int8_t value) { return static_cast<std::uint8_t>(value + 128); }
};

void pack_base(const std::int8_t* rows, std::size_t stride, std::size_t count, std::size_t columns,
               std::size_t padded, void* panel) {
  pack_panel<AsInt8, kColumns, kDepth>(rows, stride, count, columns, padded, panel);
  std::int32_t start[kColumns] = {};
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t column = 0; column < columns; ++column) start[row] -= 128 * rows[row * stride + column];
  }
  __builtin_memcpy(static_cast<std::int8_t*>(panel) + padded * kColumns, start, sizeof start);
}

void multiply(const void* query, const void* base, std::size_t length, std::int32_t* tile) {
  const auto* a = static_cast<const std::int32_t*>(query);  // four codes each
  const auto* b = static_cast<const std::int32_t*>(base);
  const std::int32_t* const start = b + length / kDepth * kColumns;
  __m512i sum[kRows][2];
#pragma GCC unroll 12
  for (std::size_t row = 0; row < kRows; ++row) {
    sum[row][0] = _mm512_loadu_si512(start);
    sum[row][1] = _mm512_loadu_si512(start + 16);
  }
  for (std::size_t k = 0; k < length; k += kDepth, a += kRows, b += kColumns) {
    const __m512i b0 = _mm512_loadu_si512(b), b1 = _mm512_loadu_si512(b + 16);
#pragma GCC unroll 12
    for (std::size_t row = 0; row < kRows; ++row) {
      const __m512i value = _mm512_set1_epi32(a[row]);
      sum[row][0] = _mm512_dpbusd_epi32(sum[row][0], value, b0);
      sum[row][1] = _mm512_dpbusd_epi32(sum[row][1], value, b1);
    }
  }
#pragma GCC unroll 12
  for (std::size_t row = 0; row < kRows; ++row) {
    _mm512_storeu_si512(tile + row * kColumns, sum[row][0]);
    _mm512_storeu_si512(tile + row * kColumns + 16, sum[row][1]);
  }
}

}  // namespace

extern const CodeKernel kCodes;
const CodeKernel kCodes{.query = {kRows, kDepth},
                        .base = {kColumns, kDepth},
                        .depth = kDepth,
                        .query_bytes = 1,
                        .base_bytes = 1,
                        .base_extra_bytes = kColumns * sizeof(std::int32_t),
                        .pack_query = pack_panel<AsUnsigned, kRows, kDepth, std::int8_t>,
                        .pack_base = pack_base,
                        .multiply = multiply};

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
