// What happens to a finished tile of a matrix product on its way out.
#include "compute/cpu/kernels.hpp"
#include "compute/cpu/simd.hpp"

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

inline Floats gelu(Floats x) {
  const Floats a = minimum(maximum(x, -x), splat(kEdge));
  const Floats t = a * (2 / kEdge) - 1;
  constexpr int kDegree = sizeof kGelu / sizeof kGelu[0] - 1;
  Floats sum = splat(kGelu[kDegree]);
#pragma GCC unroll 16
  for (int power = kDegree - 1; power >= 0; --power) sum = fused(sum, t, splat(kGelu[power]));
  return maximum(x, splat(0)) - a * sum;
}

template <TileActivation kActivation>
inline Floats activate(Floats value) {
  if constexpr (kActivation == TileActivation::relu) return maximum(value, splat(0));
  if constexpr (kActivation == TileActivation::gelu) return gelu(value);
  return value;
}

// Whole vectors only, and one code path for every element: its bits must not depend on its place.
// `bias` and `residual` are null or as long as the row.
template <TileActivation kActivation>
inline void finish_row(const float* values, std::size_t columns, float scale, const float* bias,
                       const float* residual, float* out) {
  for (std::size_t i = 0; i < columns; i += kLanes) {
    Floats value = load(values + i) * scale;
    if (bias != nullptr) value += load(bias + i);
    value = activate<kActivation>(value);
    if (residual != nullptr) value += load(residual + i);
    store(out + i, value);
  }
}

constexpr std::size_t kMaxColumns = 64;

template <TileActivation kActivation>
void finish_rows(const float* tile, std::size_t tile_columns, std::size_t rows, std::size_t columns,
                 const TileEpilogue& epilogue, float* out, std::size_t out_stride) {
  if (columns == tile_columns) {
    for (std::size_t row = 0; row < rows; ++row) {
      const float* const residual =
          epilogue.residual == nullptr ? nullptr : epilogue.residual + row * epilogue.residual_stride;
      finish_row<kActivation>(tile + row * tile_columns, columns, epilogue.scale, epilogue.bias, residual,
                              out + row * out_stride);
    }
    return;
  }
  float bias[kMaxColumns] = {}, residual[kMaxColumns] = {}, finished[kMaxColumns];
  if (epilogue.bias != nullptr) __builtin_memcpy(bias, epilogue.bias, columns * sizeof(float));
  for (std::size_t row = 0; row < rows; ++row) {
    if (epilogue.residual != nullptr) {
      __builtin_memcpy(residual, epilogue.residual + row * epilogue.residual_stride, columns * sizeof(float));
    }
    finish_row<kActivation>(tile + row * tile_columns, tile_columns, epilogue.scale,
                            epilogue.bias == nullptr ? nullptr : bias,
                            epilogue.residual == nullptr ? nullptr : residual, finished);
    __builtin_memcpy(out + row * out_stride, finished, columns * sizeof(float));
  }
}

void finish_tile(const float* tile, std::size_t tile_columns, std::size_t rows, std::size_t columns,
                 const TileEpilogue& epilogue, float* out, std::size_t out_stride) {
  switch (epilogue.activation) {
    case TileActivation::none:
      return finish_rows<TileActivation::none>(tile, tile_columns, rows, columns, epilogue, out, out_stride);
    case TileActivation::relu:
      return finish_rows<TileActivation::relu>(tile, tile_columns, rows, columns, epilogue, out, out_stride);
    case TileActivation::gelu:
      return finish_rows<TileActivation::gelu>(tile, tile_columns, rows, columns, epilogue, out, out_stride);
  }
}

}  // namespace

extern const FinishTile kFinishTile;
const FinishTile kFinishTile = finish_tile;

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
