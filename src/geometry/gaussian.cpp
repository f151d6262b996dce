#include "geometry/gaussian.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "geometry/point_blocks.hpp"

namespace markeval::geometry {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Eigen::Map<const MatrixXd> covariance_of(const Gaussian& gaussian) {
  const Index width = static_cast<Index>(gaussian.mean.size());
  return {gaussian.covariance.data(), width, width};
}

// Rounding makes eigenvalues of a positive semidefinite matrix slightly negative: they stand for zero.
VectorXd roots(const VectorXd& eigenvalues) {
  return eigenvalues.cwiseMax(0.0).cwiseSqrt();
}

/// Rows minus their mean, divided by the root of rows - 1, so that its square is the covariance.
struct CentredRows {
  MatrixXd values;  // columns x rows
  VectorXd mean;

  explicit CentredRows(Points points)
      : values(static_cast<Index>(points.columns()), static_cast<Index>(points.rows())) {
    for (Index row = 0; row < values.cols(); ++row) {
      points.copy_row(static_cast<std::size_t>(row), {values.col(row).data(), points.columns()});
    }
    mean = values.rowwise().mean();
    values.colwise() -= mean;
    if (values.cols() > 1) values /= std::sqrt(static_cast<double>(values.cols() - 1));
  }
};

}  // namespace

Gaussian fit_gaussian(Points points, const RunContext& context) {
  assert(points.rows() >= 2);
  const std::array sets{points};
  const PointBlocks blocks(sets, context);
  const Index width = static_cast<Index>(blocks.columns());
  constexpr Index kTile = 64;
  std::vector<std::pair<Index, Index>> tiles;  // of the lower triangle
  for (Index i = 0; i < width; i += kTile) {
    for (Index j = 0; j <= i; j += kTile) tiles.emplace_back(i, j);
  }
  MatrixXd sum = MatrixXd::Zero(width, width);
  BlockMatrix values;
  for (std::size_t block = 0; block < blocks.blocks(); ++block) {
    blocks.load_centred(block, values);
    context.pool.for_each(tiles.size(), [&](std::size_t tile, std::size_t) {
      context.check_cancelled();
      const auto [i, j] = tiles[tile];
      const Index height = std::min(kTile, width - i), breadth = std::min(kTile, width - j);
      sum.block(i, j, height, breadth).noalias() +=
          values.middleCols(i, height).transpose() * values.middleCols(j, breadth);
    });
  }
  sum /= static_cast<double>(blocks.rows() - 1);
  for (Index i = 0; i < width; ++i) {
    for (Index j = i + 1; j < width; ++j) sum(i, j) = sum(j, i);
  }
  if (!sum.allFinite()) throw_invalid("values so large that their squares overflow double");
  return {{blocks.mean().begin(), blocks.mean().end()}, {sum.data(), sum.data() + sum.size()}};
}

double squared_frechet_distance(const Gaussian& a, const Gaussian& b, const RunContext& context) {
  assert(a.mean.size() == b.mean.size());
  const auto first = covariance_of(a);
  const auto second = covariance_of(b);
  context.check_cancelled();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(first);
  context.check_cancelled();
  const MatrixXd root =
      solver.eigenvectors() * roots(solver.eigenvalues()).asDiagonal() * solver.eigenvectors().transpose();
  MatrixXd product = root * second * root;
  product = (product + product.transpose()).eval() / 2;
  context.check_cancelled();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> cross(product, Eigen::EigenvaluesOnly);
  double between_means = 0;
  for (std::size_t i = 0; i < a.mean.size(); ++i)
    between_means += (a.mean[i] - b.mean[i]) * (a.mean[i] - b.mean[i]);
  const double distance =
      between_means + first.trace() + second.trace() - 2 * roots(cross.eigenvalues()).sum();
  if (!std::isfinite(distance)) throw_invalid("values so large that their squares overflow double");
  return std::max(0.0, distance);
}

FrechetDistance squared_frechet_distance(Points a, Points b) {
  assert(a.columns() == b.columns() && a.rows() > 0 && b.rows() > 0);
  const CentredRows first(a), second(b);
  const MatrixXd products = first.values.transpose() * second.values;
  FrechetDistance distance;
  distance.between_means = (first.mean - second.mean).squaredNorm();
  const double spread = first.values.squaredNorm() + second.values.squaredNorm();
  if (!products.allFinite() || !std::isfinite(spread + distance.between_means)) {
    throw_invalid("values so large that their squares overflow double");
  }
  const Eigen::BDCSVD<MatrixXd> decomposition(products);
  distance.total = std::max(0.0, distance.between_means + spread - 2 * decomposition.singularValues().sum());
  return distance;
}

}  // namespace markeval::geometry
