// The end of a float32 kernel: sums in registers go to a tile or, where the driver says so, finished to the
// result itself, by the same operations as finish_tile.cpp.
#pragma once

#include "compute/cpu/kernels.hpp"
#include "compute/cpu/simd.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

/// What happens to a value of a tile whose activation is `none`.
inline Floats scaled(Floats sum, float scale, Floats bias) {
  return fused(sum, splat(scale), bias);
}

// Loops are unrolled so that GCC 12 keeps the sums in registers.
template <std::size_t kRows, std::size_t kVectors>
[[gnu::always_inline]] inline void write_sums(const Floats (&sum)[kRows][kVectors], float* tile,
                                              const TileTarget& target) {
  if (target.epilogue == nullptr) {
#pragma GCC unroll 12
    for (std::size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 3
      for (std::size_t v = 0; v < kVectors; ++v) store(tile + (row * kVectors + v) * kLanes, sum[row][v]);
    }
    return;
  }
  const TileEpilogue& epilogue = *target.epilogue;
  Floats bias[kVectors];
#pragma GCC unroll 3
  for (std::size_t v = 0; v < kVectors; ++v)
    bias[v] = epilogue.bias == nullptr ? Floats{} : load(epilogue.bias + v * kLanes);
  float* out = static_cast<float*>(target.data);
  const std::size_t stride = target.stride / sizeof(float);
  if (epilogue.residual == nullptr) {
#pragma GCC unroll 12
    for (std::size_t row = 0; row < kRows; ++row, out += stride) {
#pragma GCC unroll 3
      for (std::size_t v = 0; v < kVectors; ++v)
        store(out + v * kLanes, scaled(sum[row][v], epilogue.scale, bias[v]));
    }
    return;
  }
  const float* residual = epilogue.residual;
#pragma GCC unroll 12
  for (std::size_t row = 0; row < kRows; ++row, out += stride, residual += epilogue.residual_stride) {
#pragma GCC unroll 3
    for (std::size_t v = 0; v < kVectors; ++v) {
      store(out + v * kLanes, scaled(sum[row][v], epilogue.scale, bias[v]) + load(residual + v * kLanes));
    }
  }
}

}  // namespace
}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
