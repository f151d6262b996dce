// The oracle of the tests: what every device must compute, in plain loops and double precision.
#pragma once

#include <span>
#include <vector>

#include "base/matrix_view.hpp"
#include "compute/device.hpp"

namespace markeval::compute::reference {

/// x Phi(x).
double gelu(double x);

struct ReferenceProduct {
  std::vector<double> values;  ///< rows x outputs
  std::vector<double>
      magnitudes;  ///< sum of the sizes of all terms: what a rounding error is measured against
};

/// activation(scale * in * transposed(weights) + bias) + residual; bias and residual may be empty.
ReferenceProduct multiply(MatrixView<const float> in, MatrixView<const float> weights, double scale,
                          std::span<const float> bias, Activation activation,
                          MatrixView<const float> residual);

/// Squared distance of the points `query_scale * query` and `base_scale * base`, from the norms given.
double coded_squared_distance(std::span<const std::int8_t> query, float query_scale, float query_norm,
                              std::span<const std::int8_t> base, float base_scale, float base_norm);

}  // namespace markeval::compute::reference
