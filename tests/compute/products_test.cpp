#include "compute/products.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.hpp"

namespace markeval::compute {
namespace {

std::vector<float> random_floats(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed, 0);
  std::vector<float> values(count);
  for (float& value : values)
    value = static_cast<float>(random.below(17)) - 8.0f;  // integers: sums are exact
  return values;
}

/// Every combination of transposed sides, of every instruction set here, against plain sums.
TEST(Products, EqualPlainSumsForEverySideAndSize) {
  struct Size {
    std::size_t rows, length, columns;
  };
  for (const Isa isa : supported_isas()) {
    ThreadPool pool(2);
    const Products products(pool, isa);
    for (const Size size : {Size{1, 1, 1}, Size{7, 5, 13}, Size{64, 30, 48}, Size{130, 33, 101}}) {
      const std::vector<float> left = random_floats(size.rows * size.length, 1);
      const std::vector<float> right = random_floats(size.length * size.columns, 2);
      for (int variant = 0; variant < 8; ++variant) {
        const bool left_turned = (variant & 1) != 0, right_turned = (variant & 2) != 0,
                   add = (variant & 4) != 0;
        const MatrixView<const float> a = left_turned
                                              ? MatrixView<const float>(left.data(), size.length, size.rows)
                                              : MatrixView<const float>(left.data(), size.rows, size.length);
        const MatrixView<const float> b =
            right_turned ? MatrixView<const float>(right.data(), size.columns, size.length)
                         : MatrixView<const float>(right.data(), size.length, size.columns);
        std::vector<float> out(size.rows * size.columns, 3.0f);
        products.multiply(Operand<float>{a, left_turned}, Operand<float>{b, right_turned},
                          MatrixView<float>(out.data(), size.rows, size.columns), add);
        for (std::size_t row = 0; row < size.rows; ++row) {
          for (std::size_t column = 0; column < size.columns; ++column) {
            float sum = add ? 3.0f : 0.0f;
            for (std::size_t step = 0; step < size.length; ++step) {
              sum += (left_turned ? a(step, row) : a(row, step)) *
                     (right_turned ? b(column, step) : b(step, column));
            }
            ASSERT_EQ(out[row * size.columns + column], sum) << name(isa) << " variant " << variant;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace markeval::compute
