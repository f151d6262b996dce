// Product of int8 rows by AMX: 2 x 2 tiles make 32 x 32 sums; a step takes 64 elements of every row.
#include <immintrin.h>

#include "compute/cpu/amx_tiles.hpp"
#include "compute/cpu/kernels.hpp"
#include "compute/cpu/pack.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

constexpr std::size_t kRows = 32, kColumns = 32, kStep = 64;

void multiply(const void* query, const void* base, std::size_t length, std::int32_t* tile) {
  // Query: [step][row][64], 16 rows of 64 bytes are one tile. Base: [four][column][4], as in
  // gemm_bf16_amx.cpp.
  const auto* a = static_cast<const char*>(query);
  const auto* b = static_cast<const char*>(base);
  constexpr long kTileStride = kColumns * sizeof(std::int32_t);
  constexpr long kBaseStride = kColumns * 4;
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (std::size_t k = 0; k < length; k += kStep, a += kRows * 64, b += 16 * kBaseStride) {
    _tile_loadd(4, a, 64);
    _tile_loadd(6, b, kBaseStride);
    _tile_loadd(7, b + 64, kBaseStride);
    _tile_dpbssd(0, 4, 6);
    _tile_loadd(5, a + 16 * 64, 64);
    _tile_dpbssd(1, 4, 7);
    _tile_dpbssd(2, 5, 6);
    _tile_dpbssd(3, 5, 7);
  }
  _tile_stored(0, tile, kTileStride);
  _tile_stored(1, tile + 16, kTileStride);
  _tile_stored(2, tile + 16 * kColumns, kTileStride);
  _tile_stored(3, tile + 16 * kColumns + 16, kTileStride);
}

}  // namespace

extern const CodeKernel kCodes;
const CodeKernel kCodes{.query = {kRows, kStep},
                        .base = {kColumns, 4},
                        .depth = kStep,
                        .query_bytes = 1,
                        .base_bytes = 1,
                        .base_extra_bytes = 0,
                        .pair_cost = 100,  // 1,024 multiplications a cycle; a pair has 64 of avx512_vnni
                        .pack_query = pack_panel<AsInt8, kRows, kStep, std::int8_t>,
                        .pack_base = pack_panel<AsInt8, kColumns, 4, std::int8_t>,
                        .multiply = multiply,
                        .begin = begin_tiles,
                        .end = end_tiles};

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
