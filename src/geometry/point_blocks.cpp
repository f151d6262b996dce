#include "geometry/point_blocks.hpp"

#include <algorithm>
#include <cassert>

#include "base/error.hpp"

namespace markeval::geometry {

PointBlocks::PointBlocks(std::span<const Points> sets, const RunContext& context)
    : sets_(sets.begin(), sets.end()) {
  const std::size_t width = sets_.front().columns();
  for (const Points& set : sets_) {
    assert(set.columns() == width);
    rows_ += set.rows();
  }
  mean_ = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(width));
  std::vector<Eigen::VectorXd> sums(blocks());
  context.pool.for_each(blocks(), [&](std::size_t block, std::size_t) {
    context.check_cancelled();
    BlockMatrix values;
    load_centred(block, values);  // the mean is still zero
    sums[block] = values.colwise().sum().transpose();
  });
  Eigen::VectorXd total = Eigen::VectorXd::Zero(mean_.size());
  for (const Eigen::VectorXd& sum : sums) total += sum;
  if (!total.allFinite()) throw_invalid("values so large that their sum overflows double");
  mean_ = total / static_cast<double>(rows_);
}

void PointBlocks::load_row(std::size_t row, double* out) const {
  std::size_t set = 0;
  while (row >= sets_[set].rows()) row -= sets_[set++].rows();
  sets_[set].visit([&](const auto& view) {
    const auto values = view.row(row);
    const double* mean = mean_.data();
    for (std::size_t i = 0; i < values.size(); ++i) out[i] = static_cast<double>(values[i]) - mean[i];
  });
}

void PointBlocks::load_centred(std::size_t block, BlockMatrix& out) const {
  const std::size_t count = rows_in(block);
  out.resize(static_cast<Eigen::Index>(count), mean_.size());
  for (std::size_t row = 0; row < count; ++row) {
    load_row(first_row(block) + row, out.row(static_cast<Eigen::Index>(row)).data());
  }
}

void PointBlocks::load_centred_row(std::size_t row, Eigen::Ref<Eigen::VectorXd> out) const {
  load_row(row, out.data());
}

}  // namespace markeval::geometry
