#include "geometry/principal_axes.hpp"

#include <Eigen/Dense>

#include "base/random.hpp"
#include "compute/products.hpp"

namespace markeval::geometry {
namespace {

Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& matrix) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(matrix);
  return qr.householderQ() * Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols());
}

// sample' * sample * basis.
Eigen::MatrixXd spread_image(MatrixView<const float> sample, const Eigen::MatrixXd& basis, ThreadPool& pool) {
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto view = [](auto& matrix) {
    return MatrixView(matrix.data(), static_cast<std::size_t>(matrix.rows()),
                      static_cast<std::size_t>(matrix.cols()));
  };
  const compute::Products products(pool);
  const RowMajor axes = basis.cast<float>();
  RowMajor along(static_cast<Eigen::Index>(sample.rows()), basis.cols()), image(basis.rows(), basis.cols());
  products.multiply(compute::as_is(sample), compute::as_is(view(axes)), view(along));
  products.multiply(compute::transposed(sample), compute::as_is(view(along)), view(image));
  return image.cast<double>();
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
    basis = orthonormal_columns(spread_image(sample, basis, pool));
  }
  // Within the subspace, order the axes by the spread along them.
  const Eigen::MatrixXd spread = basis.transpose() * spread_image(sample, basis, pool);
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
