#include "geometry/principal_axes.hpp"

#include <Eigen/Dense>

#include "base/random.hpp"

namespace markeval::geometry {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& matrix) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(matrix);
  return qr.householderQ() * Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols());
}

}  // namespace

std::vector<double> principal_axes(MatrixView<const float> sample, std::size_t count) {
  const auto rows = static_cast<Eigen::Index>(sample.rows());
  const auto columns = static_cast<Eigen::Index>(sample.columns());
  const auto axes = static_cast<Eigen::Index>(count);
  const Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>> points(
      sample.data(), rows, columns, Eigen::OuterStride<>(static_cast<Eigen::Index>(sample.stride())));
  RandomStream stream(0x617865, count);
  Eigen::MatrixXd basis(columns, axes);
  for (Eigen::Index j = 0; j < axes; ++j) {
    for (Eigen::Index i = 0; i < columns; ++i) basis(i, j) = stream.normal();
  }
  basis = orthonormal_columns(basis);
  // Two rounds of (sample' sample) separate the wide directions from the narrow ones well enough: the filter
  // stays exact whatever the axes are, they only decide how much it excludes.
  for (int round = 0; round < 2; ++round) {
    const Eigen::MatrixXf image = points * basis.cast<float>();
    const Eigen::MatrixXf back = points.transpose() * image;
    basis = orthonormal_columns(back.cast<double>());
  }
  // Within the subspace, order the axes by the spread along them.
  const Eigen::MatrixXf projected = points * basis.cast<float>();
  const Eigen::MatrixXd spread = (projected.transpose() * projected).cast<double>();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(spread);
  const Eigen::MatrixXd ordered = orthonormal_columns(basis * solver.eigenvectors().rowwise().reverse());
  std::vector<double> result(count * sample.columns());
  for (Eigen::Index j = 0; j < axes; ++j) {
    for (Eigen::Index i = 0; i < columns; ++i)
      result[static_cast<std::size_t>(j * columns + i)] = ordered(i, j);
  }
  return result;
}

}  // namespace markeval::geometry
