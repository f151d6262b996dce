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
// Measured on Sapphire and Emerald Rapids against oneDNN: asking for the right panel a few steps ahead is
// worth 1 to 5 %, for the lines of the result 5 %, for the panel that comes next 3 to 10 %; packing the left
// rows costs 6 %.
constexpr std::size_t kAhead = 8;      // steps
constexpr std::size_t kUnrolled = 4;   // steps; a line of the result is asked for before so many of them
constexpr std::size_t kLineSteps = 2;  // before which a line of what comes next is asked for

/// The left rows, wherever they stand.
struct RowPointers {
  const float* row[kRows];
  [[gnu::always_inline]] explicit RowPointers(LeftRows left) {
#pragma GCC unroll 12
    for (std::size_t i = 0; i < kRows; ++i)
      row[i] = static_cast<const float*>(left.data) + i * left.row_stride;
  }
};

/// sum += a * b. Left to itself, GCC 12 writes some sums of unrolled steps to other registers than it read
/// them from, runs out of registers and keeps those in memory.
[[gnu::always_inline]] inline void add_product(Floats& sum, Floats a, Floats b) {
  asm("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
}

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
    for (std::size_t v = 0; v < kVectors; ++v) add_product(sum[row][v], value, values[v]);
  }
}

/// `kCount` steps from element `at` of the left rows and row `b` of the right panel on.
template <std::size_t kCount, std::size_t kStepStride>
[[gnu::always_inline]] inline void add_steps(Floats (&sum)[kRows][kVectors], const RowPointers& left,
                                             std::size_t at, const float* b) {
#pragma GCC unroll 4
  for (std::size_t i = 0; i < kCount; ++i)
    add_step(sum, left, at + i * kStepStride, b + i * kColumns, b + (i + kAhead) * kColumns);
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

/// multiply() with a stride the compiler knows: else GCC 12 keeps sums in memory.
template <std::size_t kStepStride>
[[gnu::always_inline]] inline void multiply_strided(LeftRows left, const float* b, std::size_t length,
                                                    float* tile, bool accumulate, const TileTarget& target) {
  const RowPointers a(left);
  const float* const end = b + length * kColumns;
  std::size_t at = 0;
  Floats sum[kRows][kVectors];
  begin_sums(sum, tile, accumulate);
  // Lines are asked for one by one, since all at once would hold up the right panel, and by loops of their
  // own: one that paused for them every few steps cost 3 %.
  if (length >= kRows * kVectors * kUnrolled) {
    const auto* line = static_cast<const std::byte*>(target.data);
    for (std::size_t row = 0; row < kRows; ++row, line += target.stride) {
#pragma GCC unroll 3
      for (std::size_t v = 0; v < kVectors; ++v, at += kUnrolled * kStepStride, b += kUnrolled * kColumns) {
        __builtin_prefetch(line + v * kLanes * sizeof(float), 1);
        add_steps<kUnrolled, kStepStride>(sum, a, at, b);
      }
    }
  }
  const std::size_t rounds = static_cast<std::size_t>(end - b) / (kUnrolled * kColumns);
  const std::size_t asking = (target.ahead.count * kLineSteps + kUnrolled - 1) / kUnrolled;
  const std::byte* ahead = target.ahead.begin;
  const float* pause = b + (asking < rounds ? asking : rounds) * kUnrolled * kColumns;
  for (; b != pause; at += kUnrolled * kStepStride, b += kUnrolled * kColumns) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kUnrolled; i += kLineSteps, ahead += kLine) {
      __builtin_prefetch(ahead, 0, 2);
      add_steps<kLineSteps, kStepStride>(sum, a, at + i * kStepStride, b + i * kColumns);
    }
  }
  // Found again: kept from above, it would take a register from the loop between.
  pause = b + static_cast<std::size_t>(end - b) / (kUnrolled * kColumns) * (kUnrolled * kColumns);
  for (; b != pause; at += kUnrolled * kStepStride, b += kUnrolled * kColumns)
    add_steps<kUnrolled, kStepStride>(sum, a, at, b);
  for (; b != end; at += kStepStride, b += kColumns) add_steps<1, kStepStride>(sum, a, at, b);
  write_sums(sum, tile, target);
}

void multiply(LeftRows left, const void* right, std::size_t length, float* tile, bool accumulate,
              TileTarget target) {
  const auto* const b = static_cast<const float*>(right);
  if (left.step_stride == 1) {
    multiply_strided<1>(left, b, length, tile, accumulate, target);
  } else {
    multiply_strided<kRows>(left, b, length, tile, accumulate, target);
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
                          .finishes = true,
                          .reads_rows = true};

}  // namespace markeval::compute::cpu::MARKEVAL_KERNEL_ISA
