// Sums over lanes and the exponential function on the vectors of simd.hpp, for kernel sources only.
#pragma once

#include "compute/cpu/simd.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

/// Lanes are added in halves, always in the same order.
[[maybe_unused]] inline float sum_of_lanes(Floats value) {
  float lanes[kLanes];
  store(lanes, value);
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}
[[maybe_unused]] inline float maximum_of_lanes(Floats value) {
  float lanes[kLanes];
  store(lanes, value);
  float result = lanes[0];
  for (std::size_t lane = 1; lane < kLanes; ++lane) result = lanes[lane] > result ? lanes[lane] : result;
  return result;
}

/// e^x with a relative error below 2e-7 for x in [-87, 88]; 0 below that, and never more than e^88 above it.
/// x = n ln 2 + r with |r| <= ln 2 / 2, and e^r by its Taylor sum to r^7 / 7! (error 3e-8).
[[maybe_unused]] inline Floats exponential(Floats x) {
  const Floats clamped = minimum(maximum(x, splat(-87.0f)), splat(88.0f));
  const Floats magic = splat(12582912.0f);  // 1.5 * 2^23: adding it rounds to an integer in the low bits
  const Floats shifted = fused(clamped, splat(1.44269504f), magic);
  const Floats n = shifted - magic;
  Floats r = fused(n, splat(-0.693145751953125f), clamped);  // ln 2 in two parts
  r = fused(n, splat(-1.42860677e-6f), r);
  Floats sum = splat(1.0f / 5040);
  sum = fused(sum, r, splat(1.0f / 720));
  sum = fused(sum, r, splat(1.0f / 120));
  sum = fused(sum, r, splat(1.0f / 24));
  sum = fused(sum, r, splat(1.0f / 6));
  sum = fused(sum, r, splat(0.5f));
  sum = fused(sum, r, splat(1.0f));
  sum = fused(sum, r, splat(1.0f));
  const Ints exponent = (reinterpret_cast<Ints>(shifted) - reinterpret_cast<Ints>(magic)) << 23;
  const Floats result = reinterpret_cast<Floats>(reinterpret_cast<Ints>(sum) + exponent);
  return x < splat(-87.0f) ? Floats{} : result;
}

}  // namespace
}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
