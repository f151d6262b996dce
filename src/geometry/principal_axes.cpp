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

// sample' * sample * basis, by slices of rows whose sums are added in order.
Eigen::MatrixXd spread_image(MatrixView<const float> sample, const Eigen::MatrixXf& basis, ThreadPool& pool) {
  constexpr std::size_t kSlices = 8;
  std::vector<Eigen::MatrixXf> parts(kSlices);
  pool.for_each(kSlices, [&](std::size_t slice, std::size_t) {
    const std::size_t first = sample.rows() * slice / kSlices;
    const std::size_t count = sample.rows() * (slice + 1) / kSlices - first;
    const Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>> points(
        sample.row(0).data() + first * sample.stride(), static_cast<Eigen::Index>(count),
        static_cast<Eigen::Index>(sample.columns()),
        Eigen::OuterStride<>(static_cast<Eigen::Index>(sample.stride())));
    parts[slice] = points.transpose() * (points * basis);
  });
  Eigen::MatrixXd sum = parts[0].cast<double>();
  for (std::size_t slice = 1; slice < kSlices; ++slice) sum += parts[slice].cast<double>();
  return sum;
}

}  // namespace

std::vector<double> principal_axes(MatrixView<const float> sample, std::size_t count, ThreadPool& pool) {
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
    basis = orthonormal_columns(spread_image(sample, basis.cast<float>(), pool));
  }
  // Within the subspace, order the axes by the spread along them.
  const Eigen::MatrixXd spread = basis.transpose() * spread_image(sample, basis.cast<float>(), pool);
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
