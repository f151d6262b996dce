// float32 product for AVX2 (6 x 16 sums in 12 of 16 registers) and AVX-512 (8 x 48 in 24 of 32): elements of
// the left operand are broadcast from wherever its rows stand, so those need no packing.
#include "compute/cpu/kernels.hpp"
#include "compute/cpu/pack.hpp"
#include "compute/cpu/simd.hpp"
#include "compute/cpu/write_target.hpp"

namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA {
namespace {

constexpr bool kWide = kLanes == 16;
constexpr std::size_t kRows = kWide ? 8 : 6, kVectors = kWide ? 3 : 2, kColumns = kVectors * kLanes;
// Measured on Sapphire Rapids against oneDNN: asking ahead for the right panel and for the lines of the
// result is worth 5 % each; packing the left rows costs 6 %.
constexpr std::size_t kAhead = 8;       // steps
constexpr std::size_t kLineSteps = 12;  // between two lines of the result

/// The left rows, wherever they stand.
struct RowPointers {
  const float* row[kRows];
  [[gnu::always_inline]] explicit RowPointers(LeftRows left) {
#pragma GCC unroll 12
    for (std::size_t i = 0; i < kRows; ++i)
      row[i] = static_cast<const float*>(left.data) + i * left.row_stride;
  }
};

/// One step: element `at` of every left row times the row `b` of the right panel; `next` is asked for.
[[gnu::always_inline]] inline void add_step(Floats (&sum)[kRows][kVectors], const RowPointers& left,
                                            std::size_t at, const float* b, const float* next) {
  Floats values[kVectors];
#pragma GCC unroll 3
  for (std::size_t v = 0; v < kVectors; ++v) {
    __builtin_prefetch(next + v * kLanes);
    values[v] = load(b + v * kLanes);
  }
#pragma GCC unroll 12
  for (std::size_t row = 0; row < kRows; ++row) {
    const Floats value = splat(left.row[row][at]);
#pragma GCC unroll 3
    for (std::size_t v = 0; v < kVectors; ++v) sum[row][v] = fused(value, values[v], sum[row][v]);
  }
}

/// GCC 12 keeps the sums in memory unless these loops are unrolled as well.
[[gnu::always_inline]] inline void begin_sums(Floats (&sum)[kRows][kVectors], const float* tile,
                                              bool accumulate) {
  if (accumulate) {
#pragma GCC unroll 12
    for (std::size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 3
      for (std::size_t v = 0; v < kVectors; ++v) sum[row][v] = load(tile + row * kColumns + v * kLanes);
    }
  } else {
#pragma GCC unroll 12
    for (std::size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 3
      for (std::size_t v = 0; v < kVectors; ++v) sum[row][v] = Floats{};
    }
  }
}

void multiply(LeftRows left, const void* right, std::size_t length, float* tile, bool accumulate,
              TileTarget target) {
  const RowPointers a(left);
  const float* b = static_cast<const float*>(right);
  Floats sum[kRows][kVectors];
  begin_sums(sum, tile, accumulate);
  const char* target_row = static_cast<const char*>(target.data);
  std::size_t target_vector = 0, target_rows = kRows;
  std::size_t at = 0;
  for (const float* const end = b + length * kColumns; b != end;) {
    // The lines of the result are asked for one by one; all at once would hold up the right panel.
    if (target_rows > 0) {
      __builtin_prefetch(target_row + target_vector * kLanes * sizeof(float), 1);
      if (++target_vector == kVectors) {
        target_vector = 0;
        target_row += target.stride;
        --target_rows;
      }
    }
    const std::size_t left_over = static_cast<std::size_t>(end - b);
    const float* const pause = b + (left_over < kLineSteps * kColumns ? left_over : kLineSteps * kColumns);
    for (; b != pause; at += left.step_stride, b += kColumns) add_step(sum, a, at, b, b + kAhead * kColumns);
  }
  write_sums(sum, tile, target);
}

void multiply_steps(LeftRows left, const void* right, const std::uint32_t* steps, std::size_t count,
                    float* tile) {
  const RowPointers a(left);
  const float* const b = static_cast<const float*>(right);
  Floats sum[kRows][kVectors];
  begin_sums(sum, tile, false);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t k = steps[i], next = steps[i + kAhead / 2 < count ? i + kAhead / 2 : i];
    add_step(sum, a, k * left.step_stride, b + k * kColumns, b + next * kColumns);
  }
  write_sums(sum, tile, {});
}

void add_to_rows(const void* left, const void* right, std::size_t length, float* const* rows) {
  const RowPointers a({left, 1, kRows});
  const float* b = static_cast<const float*>(right);
  if (length == 0) return;  // or GCC 12 keeps the sums in memory for that case
  Floats sum[kRows][kVectors];
#pragma GCC unroll 12
  for (std::size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 3
    for (std::size_t v = 0; v < kVectors; ++v) sum[row][v] = load(rows[row] + v * kLanes);
  }
  for (std::size_t k = 0; k < length; ++k, b += kColumns)
    add_step(sum, a, k * kRows, b, b + kAhead * kColumns);
#pragma GCC unroll 12
  for (std::size_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 3
    for (std::size_t v = 0; v < kVectors; ++v) store(rows[row] + v * kLanes, sum[row][v]);
  }
}

}  // namespace

extern const GemmKernel kGemmF32;
const GemmKernel kGemmF32{.left = {kRows, 1},
                          .right = {kColumns, 1},
                          .depth = 1,
                          .element_bytes = sizeof(float),
                          .input_block = 4096,
                          .row_block = 64,
                          .pack_left = pack_panel<AsFloat, kRows, 1, float>,
                          .pack_right = pack_panel<AsFloat, kColumns, 1, float>,
                          .multiply = multiply,
                          .multiply_steps = multiply_steps,
                          .add_to_rows = add_to_rows,
                          .finishes = true,
                          .reads_rows = true};

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
