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

// One code path for every element, full tile or not: the bits of an element must not depend on its place.
void activate(float* tile, std::size_t size, TileActivation activation) {
  if (activation == TileActivation::relu) {
    for (std::size_t i = 0; i < size; i += kLanes) store(tile + i, maximum(load(tile + i), splat(0)));
  } else if (activation == TileActivation::gelu) {
    for (std::size_t i = 0; i < size; i += kLanes) store(tile + i, gelu(load(tile + i)));
  }
}

void finish_tile(float* tile, std::size_t tile_columns, std::size_t rows, std::size_t columns,
                 const TileEpilogue& epilogue, float* out, std::size_t out_stride) {
  for (std::size_t row = 0; row < rows; ++row) {
    float* const values = tile + row * tile_columns;
    if (epilogue.bias != nullptr) {
      for (std::size_t i = 0; i < columns; ++i) values[i] = epilogue.scale * values[i] + epilogue.bias[i];
    } else if (epilogue.scale != 1) {
      for (std::size_t i = 0; i < columns; ++i) values[i] *= epilogue.scale;
    }
  }
  activate(tile, rows * tile_columns, epilogue.activation);
  for (std::size_t row = 0; row < rows; ++row) {
    const float* const values = tile + row * tile_columns;
    float* const to = out + row * out_stride;
    if (epilogue.residual != nullptr) {
      const float* const residual = epilogue.residual + row * epilogue.residual_stride;
      for (std::size_t i = 0; i < columns; ++i) to[i] = values[i] + residual[i];
    } else {
      for (std::size_t i = 0; i < columns; ++i) to[i] = values[i];
    }
  }
}

}  // namespace

extern const FinishTile kFinishTile;
const FinishTile kFinishTile = finish_tile;

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
