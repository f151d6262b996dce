// bf16 product by vdpbf16ps: 12 x 32 float32 sums, two products per lane.
#include <immintrin.h>

#include "compute/cpu/kernels.hpp"
#include "compute/cpu/pack.hpp"
#include "compute/cpu/simd.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

constexpr std::size_t kRows = 12, kColumns = 32, kDepth = 2;

__m512bh as_bf16(__m512i bits) {
  return reinterpret_cast<__m512bh>(bits);
}

void multiply(LeftRows left, const void* right, std::size_t length, float* tile, bool accumulate,
              TileTarget) {
  const auto* a = static_cast<const std::int32_t*>(left.data);  // pairs of bf16
  const auto* b = static_cast<const std::int32_t*>(right);
  __m512 sum[kRows][2];
  if (accumulate) {
#pragma GCC unroll 12
    for (std::size_t row = 0; row < kRows; ++row) {
      sum[row][0] = _mm512_loadu_ps(tile + row * kColumns);
      sum[row][1] = _mm512_loadu_ps(tile + row * kColumns + 16);
    }
  } else {
#pragma GCC unroll 12
    for (std::size_t row = 0; row < kRows; ++row) sum[row][0] = sum[row][1] = _mm512_setzero_ps();
  }
  for (std::size_t k = 0; k < length; k += kDepth, a += kRows, b += kColumns) {
    const __m512bh b0 = as_bf16(_mm512_loadu_si512(b)), b1 = as_bf16(_mm512_loadu_si512(b + 16));
#pragma GCC unroll 12
    for (std::size_t row = 0; row < kRows; ++row) {
      const __m512bh value = as_bf16(_mm512_set1_epi32(a[row]));
      sum[row][0] = _mm512_dpbf16_ps(sum[row][0], value, b0);
      sum[row][1] = _mm512_dpbf16_ps(sum[row][1], value, b1);
    }
  }
#pragma GCC unroll 12
  for (std::size_t row = 0; row < kRows; ++row) {
    _mm512_storeu_ps(tile + row * kColumns, sum[row][0]);
    _mm512_storeu_ps(tile + row * kColumns + 16, sum[row][1]);
  }
}

}  // namespace

extern const GemmKernel kGemmBf16;
const GemmKernel kGemmBf16{.left = {kRows, kDepth},
                           .right = {kColumns, kDepth},
                           .depth = kDepth,
                           .element_bytes = 2,
                           .input_block = 1536,
                           .row_block = 64,
                           .pack_left = pack_transposed<AsBf16, kRows>,
                           .pack_left_bf16 = pack_transposed<Bf16AsItIs, kRows>,
                           .pack_right = pack_panel<AsBf16, kColumns, kDepth, float>,
                           .multiply = multiply};

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
