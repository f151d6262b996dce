// What happens to a finished tile of a matrix product on its way out.
#include "compute/cpu/kernels.hpp"
#include "compute/cpu/write_target.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

// gelu(x) = x Phi(x) = max(x, 0) - a erfc(a / sqrt 2) / 2 with a = |x|. The last factor is a polynomial in
// t = 2 a / kEdge - 1, fitted for the least largest error of the product; beyond the edge the product is
// below 2e-7. Error of the whole: at most 6e-7 besides the rounding of the result.
constexpr float kEdge = 5.5f;
constexpr float kGelu[] = {0.0029797731f,  -0.0250080843f, 0.0945581123f,  -0.2068073f,
                           0.271885127f,   -0.177171946f,  -0.051355388f,  0.21845147f,
                           -0.163230464f,  -0.0349086374f, 0.133552879f,   -0.049204953f,
                           -0.0438458435f, 0.0303149428f,  0.00545335468f, -0.00566305593f};

// Comparisons and choices, not minima and maxima: those of x86 lose a NaN and the sign of zero.
inline Floats relu(Floats x) {
  return x < splat(0) ? splat(0) : x;
}

// Terms are added in pairs, pairs of pairs and so on: a tile has too few vectors to hide the latency of one
// long chain.
inline Floats gelu(Floats x) {
  const Floats size = magnitude(x);
  const Floats a = size > splat(kEdge) ? splat(kEdge) : size;
  const Floats t = fused(a, splat(2 / kEdge), splat(-1));
  constexpr std::size_t kTerms = sizeof kGelu / sizeof kGelu[0];
  static_assert(kTerms == 16);
  Floats terms[kTerms / 2];
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kTerms / 2; ++i)
    terms[i] = fused(splat(kGelu[2 * i + 1]), t, splat(kGelu[2 * i]));
  Floats power = t * t;
#pragma GCC unroll 3
  for (std::size_t count = kTerms / 4; count > 0; count /= 2) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < count; ++i) terms[i] = fused(terms[2 * i + 1], power, terms[2 * i]);
    power *= power;
  }
  return fused(-a, terms[0], relu(x));
}

template <TileActivation kActivation>
inline Floats activate(Floats value) {
  if constexpr (kActivation == TileActivation::relu) return relu(value);
  if constexpr (kActivation == TileActivation::gelu) return gelu(value);
  return value;
}

template <std::size_t kVectors>
inline void store_row(float* out, const Floats (&value)[kVectors]) {
#pragma GCC unroll 4
  for (std::size_t v = 0; v < kVectors; ++v) store(out + v * kLanes, value[v]);
}

#if defined(__AVX512BF16__)
template <std::size_t kVectors>
inline void store_row(Bf16* out, const Floats (&value)[kVectors]) {
  std::size_t v = 0;
#pragma GCC unroll 2
  for (; v + 2 <= kVectors; v += 2) {
    const __m512bh pair = _mm512_cvtne2ps_pbh(value[v + 1], value[v]);
    __builtin_memcpy(out + v * kLanes, &pair, sizeof pair);
  }
  if (v < kVectors) {
    const __m256bh last = _mm512_cvtneps_pbh(value[v]);
    __builtin_memcpy(out + v * kLanes, &last, sizeof last);
  }
}
#elif defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
template <std::size_t kVectors>
inline void store_row(Bf16* out, const Floats (&value)[kVectors]) {
#pragma GCC unroll 4
  for (std::size_t v = 0; v < kVectors; ++v) {
    const bfloat16x4_t narrow = vcvt_bf16_f32(value[v]);
    __builtin_memcpy(out + v * kLanes, &narrow, sizeof narrow);
  }
}
#endif

constexpr std::size_t kMaxColumns = 64;
alignas(64) constexpr float kZeros[kMaxColumns] = {};

// Whole vectors only, and one code path for every element: its bits must not depend on its place.
// `residual` may be null; rows are as long as kVectors vectors.
template <TileActivation kActivation, std::size_t kVectors, typename Out>
inline void finish_row(const float* values, float scale, const float* bias, const float* residual, Out* out) {
  Floats value[kVectors];
#pragma GCC unroll 4
  for (std::size_t v = 0; v < kVectors; ++v) {
    value[v] = activate<kActivation>(scaled(load(values + v * kLanes), scale, load(bias + v * kLanes)));
  }
  if (residual != nullptr) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) value[v] += load(residual + v * kLanes);
  }
  store_row(out, value);
}

template <TileActivation kActivation, std::size_t kVectors, typename Out>
void finish_rows(const float* tile, std::size_t rows, std::size_t columns, const TileEpilogue& epilogue,
                 Out* out, std::size_t out_stride) {
  constexpr std::size_t kColumns = kVectors * kLanes;
  const float* const bias = epilogue.bias == nullptr ? kZeros : epilogue.bias;
  const float* residual = epilogue.residual;
  if (columns == kColumns) {
    for (std::size_t row = 0; row < rows; ++row, tile += kColumns, out += out_stride) {
      finish_row<kActivation, kVectors>(tile, epilogue.scale, bias, residual, out);
      if (residual != nullptr) residual += epilogue.residual_stride;
    }
    return;
  }
  float all_bias[kColumns] = {}, all_residual[kColumns] = {};
  Out finished[kColumns];
  __builtin_memcpy(all_bias, bias, columns * sizeof(float));
  for (std::size_t row = 0; row < rows; ++row, tile += kColumns, out += out_stride) {
    if (residual != nullptr) {
      __builtin_memcpy(all_residual, residual, columns * sizeof(float));
      residual += epilogue.residual_stride;
    }
    finish_row<kActivation, kVectors>(tile, epilogue.scale, all_bias,
                                      residual == nullptr ? nullptr : all_residual, finished);
    __builtin_memcpy(out, finished, columns * sizeof(Out));
  }
}

template <TileActivation kActivation, typename Out>
void finish(const float* tile, std::size_t tile_columns, std::size_t rows, std::size_t columns,
            const TileEpilogue& epilogue, Out* out, std::size_t out_stride) {
  switch (tile_columns / kLanes) {
    case 2:
      return finish_rows<kActivation, 2>(tile, rows, columns, epilogue, out, out_stride);
    case 3:
      return finish_rows<kActivation, 3>(tile, rows, columns, epilogue, out, out_stride);
    default:
      return finish_rows<kActivation, 4>(tile, rows, columns, epilogue, out, out_stride);
  }
}

template <typename Out>
void finish_tile(const float* tile, std::size_t tile_columns, std::size_t rows, std::size_t columns,
                 const TileEpilogue& epilogue, Out* out, std::size_t out_stride) {
  switch (epilogue.activation) {
    case TileActivation::none:
      return finish<TileActivation::none>(tile, tile_columns, rows, columns, epilogue, out, out_stride);
    case TileActivation::relu:
      return finish<TileActivation::relu>(tile, tile_columns, rows, columns, epilogue, out, out_stride);
    case TileActivation::gelu:
      return finish<TileActivation::gelu>(tile, tile_columns, rows, columns, epilogue, out, out_stride);
  }
}

}  // namespace

// Instruction sets that can convert to bf16 write float32 as the one below them does.
#if defined(__AVX512BF16__) || defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
extern const FinishTile<Bf16> kFinishTileBf16;
const FinishTile<Bf16> kFinishTileBf16 = finish_tile<Bf16>;
#else
extern const FinishTile<float> kFinishTile;
const FinishTile<float> kFinishTile = finish_tile<float>;
#endif

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
