// Neither the axes nor the order have to be exact (docs/background/exactness.md, step 6), but both are the
// same for any number of threads and on every CPU, so that a run repeats. Products over the sample are in
// float32, everything that makes the axes orthonormal is in double.
#include "geometry/cpu/principal_axes.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "base/random.hpp"

namespace markeval::geometry::cpu {
namespace {

Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& matrix) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(matrix);
  return qr.householderQ() * Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols());
}

// sample' * sample * basis.
Eigen::MatrixXd spread_image(MatrixView<const float> sample, const Eigen::MatrixXd& basis,
                             const compute::Products& products) {
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto view = [](auto& matrix) {
    return MatrixView(matrix.data(), static_cast<std::size_t>(matrix.rows()),
                      static_cast<std::size_t>(matrix.cols()));
  };
  const RowMajor axes = basis.cast<float>();
  RowMajor along(static_cast<Eigen::Index>(sample.rows()), basis.cols()), image(basis.rows(), basis.cols());
  products.multiply(compute::as_is(sample), compute::as_is(view(axes)), view(along));
  products.multiply(compute::transposed(sample), compute::as_is(view(along)), view(image));
  return image.cast<double>();
}

// No fewer rows are told apart; a multiple of the tiles of most kernels.
constexpr std::size_t kLeafRows = 24;
// So many of a part show where it is widest.
constexpr std::size_t kLookedAt = 256;

std::size_t widest_axis(MatrixView<const float> points, std::span<const std::uint32_t> part) {
  std::vector<double> sums(points.columns()), squares(points.columns());
  const std::size_t step = (part.size() + kLookedAt - 1) / kLookedAt;
  std::size_t count = 0;
  for (std::size_t i = 0; i < part.size(); i += step, ++count) {
    const auto row = points.row(part[i]);
    for (std::size_t axis = 0; axis < row.size(); ++axis) {
      sums[axis] += static_cast<double>(row[axis]);
      squares[axis] += static_cast<double>(row[axis]) * static_cast<double>(row[axis]);
    }
  }
  std::size_t widest = 0;
  double most = -1;
  for (std::size_t axis = 0; axis < sums.size(); ++axis) {
    const double spread = squares[axis] - sums[axis] * sums[axis] / static_cast<double>(count);
    if (spread > most) {
      most = spread;
      widest = axis;
    }
  }
  return widest;
}

}  // namespace

std::vector<double> principal_axes(MatrixView<const float> sample, std::size_t count,
                                   const compute::Products& products) {
  const auto columns = static_cast<Eigen::Index>(sample.columns());
  const auto axes = static_cast<Eigen::Index>(count);
  RandomStream stream(0x617865, count);
  Eigen::MatrixXd basis(columns, axes);
  for (Eigen::Index j = 0; j < axes; ++j) {
    for (Eigen::Index i = 0; i < columns; ++i) basis(i, j) = stream.normal();
  }
  basis = orthonormal_columns(basis);
  // Two rounds of (sample' sample) separate the wide directions from the narrow ones well enough: the filter
  // stays exact whatever the axes are, they only decide how much it excludes.
  for (int round = 0; round < 2; ++round) {
    basis = orthonormal_columns(spread_image(sample, basis, products));
  }
  // Within the subspace, order the axes by the spread along them.
  const Eigen::MatrixXd spread = basis.transpose() * spread_image(sample, basis, products);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(spread);
  const Eigen::MatrixXd ordered = orthonormal_columns(basis * solver.eigenvectors().rowwise().reverse());
  std::vector<double> result(count * sample.columns());
  for (Eigen::Index j = 0; j < axes; ++j) {
    for (Eigen::Index i = 0; i < columns; ++i)
      result[static_cast<std::size_t>(j * columns + i)] = ordered(i, j);
  }
  return result;
}

SetAxes set_axes(Points points, std::size_t count, const compute::Products& products) {
  const std::size_t rows = points.rows(), columns = points.columns();
  Matrix<double> values(rows, columns);
  SetAxes found;
  found.mean.assign(columns, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    points.copy_row(row, values.row(row));
    for (std::size_t i = 0; i < columns; ++i) found.mean[i] += values.row(row)[i] / static_cast<double>(rows);
  }
  // Vectors may be of any size: floats are enough once the largest value is 1.
  double largest = 0, total = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns; ++i)
      largest = std::max(largest, std::abs(values.row(row)[i] - found.mean[i]));
  }
  Matrix<float> centred(rows, columns);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns; ++i) {
      const double value = largest > 0 ? (values.row(row)[i] - found.mean[i]) / largest : 0;
      centred.row(row)[i] = static_cast<float>(value);
      total += value * value;
    }
  }
  // More axes than asked for make these accurate.
  const std::vector<double> axes =
      principal_axes(centred.view(), std::min(std::max<std::size_t>(8, count), columns), products);
  found.axes = Matrix<double>(std::min(count, columns), columns);
  std::copy_n(axes.begin(), found.axes.values().size(), found.axes.data());
  found.shares.assign(found.axes.rows(), 0);
  for (std::size_t axis = 0; axis < found.axes.rows() && total > 0; ++axis) {
    double along = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      double coordinate = 0;
      for (std::size_t i = 0; i < columns; ++i) coordinate += centred.row(row)[i] * found.axes.row(axis)[i];
      along += coordinate * coordinate;
    }
    found.shares[axis] = along / total;
  }
  return found;
}

std::vector<std::uint32_t> neighbours_together(MatrixView<const float> points, std::size_t block_rows) {
  std::vector<std::uint32_t> order(points.rows());
  std::iota(order.begin(), order.end(), 0u);
  std::vector<std::pair<float, std::uint32_t>> keys(order.size());
  std::vector<std::pair<std::size_t, std::size_t>> parts = {{0, order.size()}};
  while (!parts.empty()) {
    const auto [begin, end] = parts.back();
    parts.pop_back();
    const std::size_t size = end - begin;
    const std::size_t grain = size > block_rows ? block_rows : kLeafRows;
    if (size <= grain) continue;
    const std::size_t axis = widest_axis(points, std::span(order).subspan(begin, size));
    for (std::size_t i = begin; i < end; ++i) keys[i] = {points(order[i], axis), order[i]};
    const std::size_t middle = begin + std::bit_floor((size - 1) / grain) * grain;
    const auto first = keys.begin() + static_cast<std::ptrdiff_t>(begin);
    std::nth_element(first, keys.begin() + static_cast<std::ptrdiff_t>(middle),
                     keys.begin() + static_cast<std::ptrdiff_t>(end));
    for (std::size_t i = begin; i < end; ++i) order[i] = keys[i].second;
    parts.emplace_back(begin, middle);
    parts.emplace_back(middle, end);
  }
  return order;
}

}  // namespace markeval::geometry::cpu
