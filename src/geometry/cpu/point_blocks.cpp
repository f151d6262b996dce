// The mean is a sum of sums by block, added in the order of the blocks: the same bits for any number of
// threads.
#include "geometry/cpu/point_blocks.hpp"

#include <cassert>
#include <cmath>

#include "base/error.hpp"

namespace markeval::geometry::cpu {

PointBlocks::PointBlocks(std::span<const Points> sets, const RunContext& context)
    : sets_(sets.begin(), sets.end()) {
  const std::size_t width = sets_.front().columns();
  for (const Points& set : sets_) {
    assert(set.columns() == width);
    rows_ += set.rows();
  }
  mean_.assign(width, 0);
  std::vector<std::vector<double>> sums(blocks());
  context.pool.for_each(blocks(), [&](std::size_t block, std::size_t) {
    context.check_cancelled();
    const Matrix<double> values = centred_block(block);  // the mean is still zero
    sums[block].assign(width, 0);
    for (std::size_t row = 0; row < values.rows(); ++row) {
      for (std::size_t i = 0; i < width; ++i) sums[block][i] += values.row(row)[i];
    }
  });
  std::vector<double> total(width, 0);
  for (const std::vector<double>& sum : sums) {
    for (std::size_t i = 0; i < width; ++i) total[i] += sum[i];
  }
  for (std::size_t i = 0; i < width; ++i) {
    if (!std::isfinite(total[i])) throw_invalid("values so large that their sum overflows double");
    mean_[i] = total[i] / static_cast<double>(rows_);
  }
}

void PointBlocks::load_centred_row(std::size_t row, std::span<double> out) const {
  std::size_t set = 0;
  while (row >= sets_[set].rows()) row -= sets_[set++].rows();
  sets_[set].copy_row(row, out);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] -= mean_[i];
}

Matrix<double> PointBlocks::centred_block(std::size_t block) const {
  Matrix<double> result(rows_in(block), columns());
  for (std::size_t row = 0; row < result.rows(); ++row)
    load_centred_row(first_row(block) + row, result.row(row));
  return result;
}

}  // namespace markeval::geometry::cpu
