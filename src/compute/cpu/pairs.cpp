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
