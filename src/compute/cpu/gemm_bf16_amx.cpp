// bf16 product by AMX: 2 x 2 tiles make 32 x 32 float32 sums; a step takes 32 elements of every row.
#include <immintrin.h>

#include "compute/cpu/amx_tiles.hpp"
#include "compute/cpu/kernels.hpp"
#include "compute/cpu/pack.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

constexpr std::size_t kRows = 32, kColumns = 32, kStep = 32;

/// As pack_pieces: 32 elements of a row are a line of the panel.
void pack_rows(const float* rows, std::size_t stride, std::size_t count, std::size_t columns,
               std::size_t padded, void* panel) {
  if (count < kRows || columns < padded)
    return pack_pieces<AsBf16, kRows, kStep>(rows, stride, count, columns, padded, panel);
  for (std::size_t row = 0; row < kRows; ++row) {
    const float* const in = rows + row * stride;
    char* out = static_cast<char*>(panel) + row * 64;
    for (std::size_t column = 0; column < columns; column += kStep, out += kRows * 64) {
      const __m512bh line =
          _mm512_cvtne2ps_pbh(_mm512_loadu_ps(in + column + 16), _mm512_loadu_ps(in + column));
      __builtin_memcpy(out, &line, sizeof line);
    }
  }
}

/// Asks for the lines of the result and of the rows to be packed next while the tile is made, a few at every
/// step: the product of few inputs takes no longer than fetching them.
class ComingLines {
 public:
  ComingLines(const TileTarget& target, std::size_t steps)
      : line_(static_cast<const std::byte*>(target.data)),
        stride_(target.stride),
        row_bytes_(target.row_bytes),
        left_(kRows * row_bytes_ / kLine),
        per_step_((left_ + steps - 1) / steps),
        ahead_(target.ahead.begin),
        ahead_end_(ahead_ + target.ahead.count * kLine),
        ahead_per_step_((target.ahead.count + steps - 1) / steps) {}

  void step() {
    for (std::size_t i = 0; i < per_step_ && left_ > 0; ++i, --left_) {
      __builtin_prefetch(line_ + in_row_, 1);
      in_row_ += kLine;
      if (in_row_ == row_bytes_) {
        in_row_ = 0;
        line_ += stride_;
      }
    }
    for (std::size_t i = 0; i < ahead_per_step_ && ahead_ != ahead_end_; ++i, ahead_ += kLine)
      __builtin_prefetch(ahead_, 0, 2);
  }

 private:
  const std::byte* line_;
  std::size_t stride_, row_bytes_, in_row_ = 0, left_, per_step_;
  const std::byte* ahead_;
  const std::byte* ahead_end_;
  std::size_t ahead_per_step_;
};

void multiply(LeftRows left, const void* right, std::size_t length, float* tile, bool accumulate,
              TileTarget target) {
  // Left: 32 elements of a row are a row of a tile, 64 bytes; 16 rows are one tile.
  // Right: [pair][column][2], a row of a tile is 16 columns of one pair, the next one 32 columns on.
  const auto* a = static_cast<const char*>(left.data);
  const auto* b = static_cast<const char*>(right);
  constexpr long kTileStride = kColumns * sizeof(float);
  constexpr long kRightStride = kColumns * 4;
  if (accumulate) {
    _tile_loadd(0, tile, kTileStride);
    _tile_loadd(1, tile + 16, kTileStride);
    _tile_loadd(2, tile + 16 * kColumns, kTileStride);
    _tile_loadd(3, tile + 16 * kColumns + 16, kTileStride);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  const auto row_bytes = static_cast<long>(left.row_stride * sizeof(Bf16));
  const std::size_t step_bytes = left.step_stride * sizeof(Bf16);
  ComingLines lines(target, length / kStep);
  for (std::size_t k = 0; k < length; k += kStep, a += step_bytes, b += 16 * kRightStride) {
    _tile_loadd(4, a, row_bytes);
    _tile_loadd(6, b, kRightStride);
    _tile_loadd(7, b + 64, kRightStride);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(5, a + 16 * row_bytes, row_bytes);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
    lines.step();
  }
  _tile_stored(0, tile, kTileStride);
  _tile_stored(1, tile + 16, kTileStride);
  _tile_stored(2, tile + 16 * kColumns, kTileStride);
  _tile_stored(3, tile + 16 * kColumns + 16, kTileStride);
}

}  // namespace

extern const GemmKernel kGemmBf16;
const GemmKernel kGemmBf16{.left = {kRows, kStep},
                           .right = {kColumns, 2},
                           .depth = kStep,
                           .element_bytes = 2,
                           .input_block = 1536,
                           .row_block = 64,
                           .pack_left = pack_rows,
                           .pack_left_bf16 = pack_pieces<Bf16AsItIs, kRows, kStep>,
                           .pack_right = pack_panel<AsBf16, kColumns, 2, float>,
                           .multiply = multiply,
                           .reads_bf16_rows = true,
                           .outruns_cache = true,
                           .begin = begin_tiles,
                           .end = end_tiles};

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
