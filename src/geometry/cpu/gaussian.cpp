// Products are those of compute, eigenvalues those of Eigen without its vectors (see CMakeLists.txt), so that
// a distance has the same bits on every machine.
#include "geometry/cpu/gaussian.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/error.hpp"
#include "base/matrix.hpp"
#include "base/sum_of_squares.hpp"

namespace markeval::geometry::cpu {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr std::size_t kBlock = 1024;  ///< rows that are added up one after the other
constexpr const char* kOverflow = "values so large that their squares overflow double";

/// Eigen cuts products by the sizes of the caches it finds, and a cut changes the order of a sum.
void fix_block_sizes() {
  [[maybe_unused]] static const bool once = (Eigen::setCpuCacheSizes(32 << 10, 256 << 10, 2 << 20), true);
}

/// A row-major view of Eigen's column-major matrix: the transpose, the same thing for a symmetric one.
MatrixView<double> transposed_view(MatrixXd& matrix) {
  return {matrix.data(), static_cast<std::size_t>(matrix.cols()), static_cast<std::size_t>(matrix.rows())};
}

bool all_finite(std::span<const double> values) {
  for (const double value : values) {
    if (!std::isfinite(value)) return false;
  }
  return true;
}

/// A matrix F with F F' = covariance, as its transpose. The decomposition is the pivoted one, which takes
/// covariances without full rank; rounding makes some of its squares slightly negative: they stand for zero.
MatrixXd transposed_root(const Gaussian& gaussian) {
  const auto width = static_cast<Index>(gaussian.mean.size());
  const Eigen::Map<const MatrixXd> covariance(gaussian.covariance.data(), width, width);
  const Eigen::LDLT<MatrixXd> decomposition(covariance);
  MatrixXd root = decomposition.matrixL();
  const Eigen::VectorXd squares = decomposition.vectorD();
  for (Index column = 0; column < width; ++column)
    root.col(column) *= std::sqrt(std::max(0.0, squares(column)));
  const MatrixXd unpivoted = decomposition.transpositionsP().transpose() * root;
  return unpivoted.transpose();
}

double squared_distance_of_means(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/// Rows minus their mean, divided by the root of rows - 1, so that its square is the covariance.
struct CentredRows {
  Matrix<double> values;
  std::vector<double> mean;

  explicit CentredRows(Points points) : values(points.rows(), points.columns()), mean(points.columns(), 0) {
    for (std::size_t row = 0; row < values.rows(); ++row) {
      points.copy_row(row, values.row(row));
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += values.row(row)[i];
    }
    for (double& value : mean) value /= static_cast<double>(values.rows());
    const double scale = values.rows() > 1 ? std::sqrt(static_cast<double>(values.rows() - 1)) : 1;
    for (std::size_t row = 0; row < values.rows(); ++row) {
      for (std::size_t i = 0; i < mean.size(); ++i)
        values.row(row)[i] = (values.row(row)[i] - mean[i]) / scale;
    }
  }
};

}  // namespace

SpanSums column_sums(Points points, RowRange range, const RunContext& context) {
  SpanSums sums(range.begin / SpanSums::kSpanRows);
  for (std::size_t begin = range.begin; begin < range.end; begin += SpanSums::kSpanRows) {
    const std::size_t end = std::min(begin + SpanSums::kSpanRows, range.end);
    std::vector<std::vector<double>> by_block((end - begin + kBlock - 1) / kBlock);
    context.pool.for_each(by_block.size(), [&](std::size_t block, std::size_t) {
      context.check_cancelled();
      std::vector<double>& sum = by_block[block];
      sum.assign(points.columns(), 0);
      const std::size_t first = begin + block * kBlock, last = std::min(first + kBlock, end);
      points.visit([&](const auto& view) {
        for (std::size_t row = first; row < last; ++row) {
          const auto* const values = view.row(row).data();
          for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(values[i]);
        }
      });
    });
    std::vector<double> span(points.columns(), 0);
    for (const std::vector<double>& sum : by_block) {
      for (std::size_t i = 0; i < span.size(); ++i) span[i] += sum[i];
    }
    sums.append(std::move(span));
  }
  return sums;
}

SpanSums centred_squares(Points points, std::span<const double> mean, RowRange range,
                         const compute::Products& products, const RunContext& context) {
  const std::size_t width = points.columns();
  SpanSums sums(range.begin / SpanSums::kSpanRows);
  for (std::size_t begin = range.begin; begin < range.end; begin += SpanSums::kSpanRows) {
    const std::size_t end = std::min(begin + SpanSums::kSpanRows, range.end);
    Matrix<double> span(width, width);
    for (std::size_t first = begin; first < end; first += kBlock) {
      context.check_cancelled();
      Matrix<double> rows(std::min(kBlock, end - first), width);
      context.pool.for_each(rows.rows(), [&](std::size_t row, std::size_t) {
        const std::span<double> out = rows.row(row);
        points.copy_row(first + row, out);
        for (std::size_t i = 0; i < width; ++i) out[i] -= mean[i];
      });
      products.multiply(compute::transposed(rows.view()), compute::as_is(rows.view()), span.view(), true);
    }
    sums.append(std::move(span.values()));
  }
  return sums;
}

Gaussian fit_gaussian(Points points, const compute::Products& products, const RunContext& context) {
  assert(points.rows() >= 2);
  const RowRange all{0, points.rows()};
  Gaussian gaussian;
  gaussian.mean = column_sums(points, all, context).total();
  if (!all_finite(gaussian.mean)) throw_invalid("values so large that their sum overflows double");
  for (double& value : gaussian.mean) value /= static_cast<double>(points.rows());
  gaussian.covariance = centred_squares(points, gaussian.mean, all, products, context).total();
  for (double& value : gaussian.covariance) value /= static_cast<double>(points.rows() - 1);
  if (!all_finite(gaussian.covariance)) throw_invalid(kOverflow);
  return gaussian;
}

FrechetDistance squared_frechet_distance(const Gaussian& a, const Gaussian& b,
                                         const compute::Products& products, const RunContext& context) {
  assert(a.mean.size() == b.mean.size());
  fix_block_sizes();
  context.check_cancelled();
  // The eigenvalues of sqrt(A) B sqrt(A) are those of A B, and of F' B F for every F with F F' = A.
  const std::size_t width = a.mean.size();
  MatrixXd root = transposed_root(a);
  context.check_cancelled();
  const MatrixView<const double> factor = transposed_view(root);  // F, row by row
  Matrix<double> half(width, width), whole(width, width);
  products.multiply(compute::as_is(MatrixView<const double>(b.covariance.data(), width, width)),
                    compute::as_is(factor), half.view());
  products.multiply(compute::transposed(factor), compute::as_is(half.view()), whole.view());
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = 0; j < i; ++j)
      whole.row(i)[j] = whole.row(j)[i] = (whole.row(i)[j] + whole.row(j)[i]) / 2;
  }
  context.check_cancelled();
  const auto size = static_cast<Index>(width);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> cross(Eigen::Map<MatrixXd>(whole.data(), size, size),
                                                      Eigen::EigenvaluesOnly);
  const double between_means = squared_distance_of_means(a.mean, b.mean);
  double distance = between_means;
  for (std::size_t i = 0; i < width; ++i)
    distance += a.covariance[i * width + i] + b.covariance[i * width + i];
  double roots = 0;
  for (const double eigenvalue : cross.eigenvalues()) roots += std::sqrt(std::max(0.0, eigenvalue));
  distance -= 2 * roots;
  if (!std::isfinite(distance)) throw_invalid(kOverflow);
  return {std::max(0.0, distance), between_means};
}

FrechetDistance squared_frechet_distance(Points a, Points b, const compute::Products& products) {
  assert(a.columns() == b.columns() && a.rows() > 0 && b.rows() > 0);
  fix_block_sizes();
  const CentredRows first(a), second(b);
  MatrixXd shared(static_cast<Index>(b.rows()), static_cast<Index>(a.rows()));
  products.multiply(compute::as_is(first.values.view()), compute::transposed(second.values.view()),
                    transposed_view(shared));
  FrechetDistance distance;
  distance.between_means = squared_distance_of_means(first.mean, second.mean);
  const double spread =
      sum_of_squares(std::span(first.values.values())) + sum_of_squares(std::span(second.values.values()));
  if (!all_finite({shared.data(), static_cast<std::size_t>(shared.size())}) ||
      !std::isfinite(spread + distance.between_means)) {
    throw_invalid(kOverflow);
  }
  const Eigen::BDCSVD<MatrixXd> decomposition(shared);
  double sum = 0;
  for (const double value : decomposition.singularValues()) sum += value;
  distance.total = std::max(0.0, distance.between_means + spread - 2 * sum);
  return distance;
}

}  // namespace markeval::geometry::cpu
