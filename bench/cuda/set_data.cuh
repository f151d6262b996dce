// Rows for trials of the set engine: sentence-like and normal ones in any number, and the clouds that make
// neighbour searches go wrong (tests/geometry/clouds.hpp and more of them).
#pragma once

#include <cstdint>
#include <string>

#include "set_coding.cuh"

namespace data {

enum class Kind {
  normal,
  sentences,
  steep,
  duplicates,
  grid,
  scales,
  offset,
  skewed,
  constant,
  overflowing,
  tiny,
  clusters,
  near_pairs,
  outlier,
  one_hot,
  mixed_range,
  count
};
inline const char* const kNames[] = {"normal",     "sentences", "steep",    "duplicates",  "grid", "scales",
                                     "offset",     "skewed",    "constant", "overflowing", "tiny", "clusters",
                                     "near_pairs", "outlier",   "one_hot",  "mixed_range"};
inline Kind kind_of(const std::string& name) {
  int kind = 0;
  while (kind + 1 < static_cast<int>(Kind::count) && name != kNames[kind]) ++kind;
  return static_cast<Kind>(kind);
}

__device__ inline unsigned mix(std::uint64_t key) {
  key = (key ^ (key >> 33)) * 0xff51afd7ed558ccdull;
  key = (key ^ (key >> 33)) * 0xc4ceb9fe1a85ec53ull;
  return static_cast<unsigned>(key >> 32);
}
__device__ inline float normal(std::uint64_t key) {
  const float u = (mix(2 * key) + 1.0f) * 0x1.0p-32f, w = mix(2 * key + 1) * 0x1.0p-32f;
  return sqrtf(-2 * logf(fminf(u, 1.0f))) * cospif(2 * w);
}

/// A warp per row. Sentences: unit rows around 4,000 centres in a falling spectrum.
__global__ void make_rows(float* x, int rows, int columns, int stride, Kind kind, std::uint64_t seed) {
  const int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= rows) return;
  float* const out = x + static_cast<std::size_t>(row) * stride;
  const bool falls = kind == Kind::sentences || kind == Kind::steep;
  const float falling = kind == Kind::steep ? 1.0f : 0.6f;
  const std::uint64_t centre = mix(seed * 77 + row) % 4000;
  int source = row;  // of duplicates: four rows of ten repeat one before them
  while (kind == Kind::duplicates && source > 0 && mix(seed * 991 + source) % 10 < 4)
    source = static_cast<int>(mix(seed * 993 + source) % source);
  if (kind == Kind::near_pairs) source = row / 2;
  float squares = 0;
  for (int i = lane; i < stride; i += 32) {
    float value = normal((seed << 44) + static_cast<std::uint64_t>(source) * columns + i);
    const std::uint64_t own = (seed << 44) + static_cast<std::uint64_t>(row) * columns + i + (1ull << 62);
    switch (kind) {
      case Kind::sentences:
      case Kind::steep:
        value = powf(1 + i / 16.0f, -falling) *
                (0.7f * value + 0.72f * normal((std::uint64_t{99} << 44) + centre * columns + i));
        break;
      case Kind::grid:
        value = static_cast<float>(mix(own) % 4);
        break;
      case Kind::scales:
        value = static_cast<float>(row % 5) * 3 + value * powf(10, static_cast<float>(row % 5) * 2 - 6);
        break;
      case Kind::offset:
        value = 1e6f + floorf(value * 3);
        break;
      case Kind::skewed:
        value *= i == 0 ? 100 : expf(-static_cast<float>(i) / 8);
        break;
      case Kind::constant:
        value = 0.25f;
        break;
      case Kind::overflowing:
        value *= 1e30f;
        break;
      case Kind::tiny:
        value *= 1e-30f;
        break;
      case Kind::clusters:  // pairs of clusters far apart
        value = value * 0.01f + (mix(seed * 5 + row) % 2 == 0 ? 1000.0f : -1000.0f);
        break;
      case Kind::near_pairs:
        value += (row % 2) * 1e-7f * normal(own);
        break;
      case Kind::outlier:
        if (row % 97 == 5) value *= powf(10, static_cast<float>(row % 7) + 3);
        break;
      case Kind::one_hot:  // all distances alike
        value = mix(seed * 3 + row) % columns == i ? 1.0f : 0.0f;
        break;
      case Kind::mixed_range:  // no power of two brings all of them into range
        value *= row % 2 == 0 ? 1e30f : 1e-30f;
        break;
      default:
        break;
    }
    if (i >= columns) value = 0;
    squares += value * value;
    out[i] = value;
  }
  if (!falls) return;
  const float length = sqrtf(filter::warp_sum(squares));
  for (int i = lane; i < columns; i += 32) out[i] /= length;
}

}  // namespace data
