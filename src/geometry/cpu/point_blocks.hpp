// Several sets of points read as one, block by block, as centred doubles: what k-means
// works on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/matrix.hpp"
#include "base/run_context.hpp"
#include "geometry/points.hpp"

namespace markeval::geometry::cpu {

/// Rows of the sets one after the other. Sums go over fixed blocks in a fixed order, whatever the number of
/// threads.
class PointBlocks {
 public:
  static constexpr std::size_t kBlockRows = 1024;

  /// The sets must be equally wide. Computes the mean of all rows; throws Error(invalid_input) where it
  /// overflows.
  PointBlocks(std::span<const Points> sets, const RunContext& context);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return mean_.size(); }
  std::size_t blocks() const { return (rows_ + kBlockRows - 1) / kBlockRows; }
  std::size_t first_row(std::size_t block) const { return block * kBlockRows; }
  std::size_t rows_in(std::size_t block) const { return std::min(kBlockRows, rows_ - first_row(block)); }
  const std::vector<double>& mean() const { return mean_; }

  /// Rows of the block minus the mean.
  Matrix<double> centred_block(std::size_t block) const;
  /// One row of all, minus the mean.
  void load_centred_row(std::size_t row, std::span<double> out) const;

 private:
  std::vector<Points> sets_;
  std::size_t rows_ = 0;
  std::vector<double> mean_;
};

}  // namespace markeval::geometry::cpu
