// The driver of the packed product with a kernel in plain C++ that asks for everything a kernel can ask for,
// so that every way through it is tried on every CPU.
#include "compute/cpu/matrix_product.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "compute/cpu/shares.hpp"
#include "compute/samples.hpp"

namespace markeval::compute::cpu {
namespace {

constexpr std::size_t kRows = 4, kColumns = 4, kStep = 8;

using samples::to_float;

Bf16 narrowed(float value) {
  return samples::to_bf16(value);
}
Bf16 narrowed(Bf16 value) {
  return value;
}

template <typename Element>
void pack(const Element* rows, std::size_t stride, std::size_t count, std::size_t columns, std::size_t padded,
          void* panel) {
  auto* out = static_cast<Bf16*>(panel);
  for (std::size_t step = 0; step < padded; step += kStep) {
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::size_t d = 0; d < kStep; ++d) {
        const bool inside = row < count && step + d < columns;
        *out++ = inside ? narrowed(rows[row * stride + step + d]) : Bf16{0};
      }
    }
  }
}

thread_local int open_tasks = 0;

void multiply_tile(LeftRows left, const void* right, std::size_t length, float* tile, bool accumulate,
                   TileTarget) {
  EXPECT_EQ(open_tasks, 1);
  const auto* const a = static_cast<const Bf16*>(left.data);
  const auto* const b = static_cast<const Bf16*>(right);
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      float sum = accumulate ? tile[row * kColumns + column] : 0;
      for (std::size_t k = 0; k < length; ++k) {
        const std::size_t step = k / kStep, d = k % kStep;
        sum += to_float(a[row * left.row_stride + step * left.step_stride + d]) *
               to_float(b[(step * kColumns + column) * kStep + d]);
      }
      tile[row * kColumns + column] = sum;
    }
  }
}

void set(float& to, float value) {
  to = value;
}
void set(Bf16& to, float value) {
  to = narrowed(value);
}

template <typename Out>
void finish(const float* tile, std::size_t tile_columns, std::size_t rows, std::size_t columns,
            const TileEpilogue& epilogue, Out* out, std::size_t out_stride) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const float residual =
          epilogue.residual == nullptr ? 0 : epilogue.residual[row * epilogue.residual_stride + column];
      set(out[row * out_stride + column],
          tile[row * tile_columns + column] * epilogue.scale + epilogue.bias[column] + residual);
    }
  }
}

GemmKernel plain_kernel() {
  return {.left = {kRows, kStep},
          .right = {kColumns, kStep},
          .depth = kStep,
          .element_bytes = sizeof(Bf16),
          .input_block = 64,
          .row_block = 8,
          .pack_left = pack<float>,
          .pack_left_bf16 = pack<Bf16>,
          .pack_right = pack<float>,
          .multiply = multiply_tile,
          .begin = [] { ++open_tasks; },
          .end = [] { --open_tasks; }};
}

/// Small whole numbers: sums are exact, in bf16 too.
std::vector<float> whole_numbers(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed, 0);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.below(9)) - 4.0f;
  return values;
}
std::vector<Bf16> narrowed(const std::vector<float>& values) {
  std::vector<Bf16> result(values.size());  // no room behind it: the address sanitizer sees who reads there
  for (std::size_t i = 0; i < values.size(); ++i) result[i] = narrowed(values[i]);
  return result;
}

struct Size {
  std::size_t rows, inputs, outputs;
};

void expect_right(const GemmKernel& kernel, Size size, std::size_t threads) {
  SCOPED_TRACE(::testing::Message() << size.rows << " x " << size.inputs << " x " << size.outputs << ", "
                                    << threads << " threads, reads rows " << kernel.reads_bf16_rows
                                    << ", outruns the cache " << kernel.outruns_cache);
  ThreadPool pool(threads);
  const std::vector<float> in = whole_numbers(size.rows * size.inputs, 1);
  const std::vector<Bf16> narrow_in = narrowed(in);
  const std::vector<float> weights = whole_numbers(size.outputs * size.inputs, 2);
  const std::vector<float> bias = whole_numbers(size.outputs, 3);
  const std::vector<float> residual = whole_numbers(size.rows * size.outputs, 4);
  std::vector<float> expected(size.rows * size.outputs);
  for (std::size_t row = 0; row < size.rows; ++row) {
    for (std::size_t output = 0; output < size.outputs; ++output) {
      float sum = 0;
      for (std::size_t k = 0; k < size.inputs; ++k)
        sum += in[row * size.inputs + k] * weights[output * size.inputs + k];
      expected[row * size.outputs + output] = sum * 2 + bias[output] + residual[row * size.outputs + output];
    }
  }
  const std::vector<Bf16> narrow_expected = narrowed(expected);
  const PackedMatrix packed(MatrixView(weights.data(), size.outputs, size.inputs), kernel, pool);
  const ProductEpilogue epilogue{
      .scale = 2, .bias = bias.data(), .residual = {residual.data(), size.rows, size.outputs}};
  const auto expect_from = [&](auto rows) {
    std::vector<float> wide(expected.size(), -7);
    multiply(rows, packed, epilogue, FinishTile<float>(finish<float>),
             MatrixView(wide.data(), size.rows, size.outputs), pool);
    EXPECT_EQ(wide, expected);
    std::vector<Bf16> narrow(expected.size());
    multiply(rows, packed, epilogue, FinishTile<Bf16>(finish<Bf16>),
             MatrixView(narrow.data(), size.rows, size.outputs), pool);
    EXPECT_EQ(std::memcmp(narrow.data(), narrow_expected.data(), narrow.size() * sizeof(Bf16)), 0);
  };
  expect_from(MatrixView<const float>(in.data(), size.rows, size.inputs));
  expect_from(MatrixView<const Bf16>(narrow_in.data(), size.rows, size.inputs));
}

TEST(MatrixProduct, IsTheSameWhoeverMultipliesWhat) {
  for (const bool reads_rows : {false, true}) {
    for (const bool outruns : {false, true}) {
      GemmKernel kernel = plain_kernel();
      kernel.reads_bf16_rows = reads_rows;
      kernel.outruns_cache = outruns;
      for (const std::size_t threads : {1u, 2u, 5u}) {
        for (const Size size : {Size{1, 1, 1}, Size{4, 8, 4}, Size{3, 20, 70}, Size{37, 72, 41},
                                Size{64, 16, 8}, Size{300, 24, 33}, Size{1031, 8, 9}, Size{1400, 30, 17}}) {
          expect_right(kernel, size, threads);
        }
      }
    }
  }
}

TEST(MatrixProduct, IsRightWithWeightsLargerThanTheCache) {
  GemmKernel kernel = plain_kernel();
  kernel.outruns_cache = true;
  for (const bool reads_rows : {false, true}) {
    kernel.reads_bf16_rows = reads_rows;
    expect_right(kernel, {262, 200, 3300}, 1);
    expect_right(kernel, {50, 200, 3300}, 2);
  }
}

TEST(MatrixProduct, IsRightWithRowsLargerThanTheCache) {
  GemmKernel kernel = plain_kernel();
  kernel.input_block = 4096;
  kernel.outruns_cache = true;
  for (const bool reads_rows : {false, true}) {
    kernel.reads_bf16_rows = reads_rows;
    for (const std::size_t threads : {1u, 2u}) expect_right(kernel, {250, 2048, 21}, threads);
  }
}

TEST(Shares, GiveEveryItemOnceAndAWorkerItsOwnFirst) {
  Shares shares(10, 3);  // 0 to 2, 3 to 5, 6 to 9
  EXPECT_EQ(shares.take(1), 3u);
  EXPECT_EQ(shares.take(2), 6u);
  std::vector<std::size_t> rest;
  for (int i = 0; i < 8; ++i) rest.push_back(shares.take(1));
  EXPECT_EQ(rest, (std::vector<std::size_t>{4, 5, 7, 8, 9, 0, 1, 2}));
}

}  // namespace
}  // namespace markeval::compute::cpu
