// exp, sigmoid and tanh that a compiler turns into vector code: no branch, no call. double takes
// base/elementary. Relative error of exponential(float) below 3e-7; x = n ln 2 + r, e^r by its Taylor sum to
// r^7 / 7!.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/elementary.hpp"

namespace markeval::trained {

inline float exponential(float x) {
  const float bounded = x > -87.0f ? x : -87.0f;  // two steps of one choice each: nested, GCC keeps branches
  const float clamped = bounded < 88.0f ? bounded : 88.0f;
  constexpr float kMagic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer in the low bits
  const float shifted = clamped * 1.44269504f + kMagic;
  const float n = shifted - kMagic;
  const float r = (clamped - n * 0.693145751953125f) - n * 1.42860677e-6f;  // ln 2 in two parts
  float sum = 1.0f / 5040;
  sum = sum * r + 1.0f / 720;
  sum = sum * r + 1.0f / 120;
  sum = sum * r + 1.0f / 24;
  sum = sum * r + 1.0f / 6;
  sum = sum * r + 0.5f;
  sum = sum * r + 1.0f;
  sum = sum * r + 1.0f;
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(kMagic);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(sum) + (exponent << 23));
}
inline double exponential(double x) {
  return elementary::exp(x);
}

template <typename T>
T sigmoid(T x) {
  return T(1) / (T(1) + exponential(-x));
}
template <typename T>
T hyperbolic_tangent(T x) {
  return T(2) / (T(1) + exponential(T(-2) * x)) - T(1);
}

/// softmax of what was learned for each layer.
template <typename T>
std::vector<T> layer_shares(std::span<const T> mix) {
  const T largest = *std::ranges::max_element(mix);
  std::vector<T> shares;
  T sum = 0;
  for (const T value : mix)
    sum += shares.emplace_back(static_cast<T>(elementary::exp(static_cast<double>(value - largest))));
  for (T& share : shares) share /= sum;
  return shares;
}

}  // namespace markeval::trained
