// The input, weights and shape of the trial layer, made the same way for the CPU's program and for the GPU's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace layer {

constexpr int kHidden = 384, kHeads = 12, kHeadWidth = 32, kInner = 1536;  // MiniLM-L6-v2 and L12
constexpr float kEpsilon = 1e-12f, kScale = 0.17677669529663687f;          // 1 / sqrt(32)

/// Numbers in [-1, 1) * size + shift, the same on every machine.
inline std::vector<float> numbers(std::size_t count, std::uint32_t seed, float size, float shift = 0) {
  std::vector<float> result(count);
  std::uint32_t state = seed * 747796405u + 2891336453u;
  for (float& value : result) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<std::int32_t>(state >> 8) - 8388608) * (size / 8388608) + shift;
  }
  return result;
}

struct Weights {  // products are outputs x inputs, as models store them
  std::vector<float> qkv = numbers(3 * kHidden * kHidden, 1, 0.12f), qkv_bias = numbers(3 * kHidden, 2, 0.3f);
  std::vector<float> out = numbers(kHidden * kHidden, 3, 0.08f), out_bias = numbers(kHidden, 4, 0.1f);
  std::vector<float> up = numbers(kInner * kHidden, 5, 0.1f), up_bias = numbers(kInner, 6, 0.2f);
  std::vector<float> down = numbers(kHidden * kInner, 7, 0.06f), down_bias = numbers(kHidden, 8, 0.1f);
  std::vector<float> gain1 = numbers(kHidden, 9, 0.3f, 1), bias1 = numbers(kHidden, 10, 0.1f);
  std::vector<float> gain2 = numbers(kHidden, 11, 0.3f, 1), bias2 = numbers(kHidden, 12, 0.1f);
};

/// Where the sequences start, and the end: lengths 1 to 60.
inline std::vector<int> test_starts() {
  std::vector<int> starts{0};
  for (int i = 0; i < 48; ++i) starts.push_back(starts.back() + 1 + (i * 37 + 5) % 60);
  return starts;
}
inline std::vector<float> test_states(int tokens) {
  return numbers(static_cast<std::size_t>(tokens) * kHidden, 13, 2.0f);
}

}  // namespace layer
