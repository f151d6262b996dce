// Plain loops, no trick: whoever doubts a kernel reads this.
#include "compute/reference/reference.hpp"

#include <algorithm>
#include <cmath>

namespace markeval::compute::reference {

double gelu(double x) {
  return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
}

ReferenceProduct multiply(MatrixView<const float> in, MatrixView<const float> weights, double scale,
                          std::span<const float> bias, Activation activation,
                          MatrixView<const float> residual) {
  ReferenceProduct product;
  for (std::size_t row = 0; row < in.rows(); ++row) {
    for (std::size_t output = 0; output < weights.rows(); ++output) {
      double sum = 0, magnitude = 0;
      for (std::size_t k = 0; k < in.columns(); ++k) {
        const double term = static_cast<double>(in(row, k)) * static_cast<double>(weights(output, k));
        sum += term;
        magnitude += std::abs(term);
      }
      double value = scale * sum;
      magnitude *= std::abs(scale);
      if (!bias.empty()) {
        value += static_cast<double>(bias[output]);
        magnitude += std::abs(static_cast<double>(bias[output]));
      }
      if (activation == Activation::relu) value = std::max(value, 0.0);
      if (activation == Activation::gelu) value = gelu(value);
      if (!residual.empty()) {
        value += static_cast<double>(residual(row, output));
        magnitude += std::abs(static_cast<double>(residual(row, output)));
      }
      product.values.push_back(value);
      product.magnitudes.push_back(magnitude);
    }
  }
  return product;
}

double coded_squared_distance(std::span<const std::int8_t> query, float query_scale, float query_norm,
                              std::span<const std::int8_t> base, float base_scale, float base_norm) {
  double dot = 0;
  for (std::size_t k = 0; k < query.size(); ++k)
    dot += static_cast<double>(query[k]) * static_cast<double>(base[k]);
  return static_cast<double>(query_norm) + static_cast<double>(base_norm) -
         2 * static_cast<double>(query_scale) * static_cast<double>(base_scale) * dot;
}

}  // namespace markeval::compute::reference
