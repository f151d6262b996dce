// Both AMX kernels use all eight tiles as 16 rows of 64 bytes: 0 to 3 hold the sums (2 x 2), 4 and 5 the left
// operand, 6 and 7 the right one. Somebody else in the process may use the tiles too (a Python process with
// another library), so they are configured at the begin of every task and released at its end.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

// The operand of ldtilecfg: palette 1; bytes 16 to 31 the row lengths in bytes (16 bits each), 48 to 55 the
// rows.
struct alignas(64) TileConfiguration {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfiguration) == 64);

// Static: the intrinsic tells the compiler of the first eight bytes only, which could drop the rest of a
// local.
constexpr TileConfiguration kConfiguration{};

void begin_tiles() {
  _tile_loadconfig(&kConfiguration);
}
void end_tiles() {
  _tile_release();
}

}  // namespace
}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
