// The matrices a benchmark multiplies.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "compute/device.hpp"
#include "compute/samples.hpp"

namespace markeval::bench {

struct Shape {
  std::size_t rows, inputs, outputs;

  double gflop() const { return 2e-9 * static_cast<double>(rows * inputs * outputs); }
};

struct Operands {
  Operands(compute::Device& device, Shape shape)
      : in(compute::samples::floats(shape.rows, shape.inputs, shape.inputs, 1)),
        weights(compute::samples::floats(shape.outputs, shape.inputs, shape.inputs, 2)),
        device_in(compute::samples::upload_strided(device, in)),
        device_weights(compute::samples::upload_strided(device, weights)),
        device_out(compute::allocate_matrix<float>(device, shape.rows, shape.outputs)) {}

  void multiply(compute::Device& device, const compute::PackedWeights& packed) const {
    device.multiply(device_in.view(), packed, {.bias = {}, .residual = {}}, device_out.view());
  }

  compute::samples::Floats in, weights;
  compute::DeviceArray<float> device_in, device_weights, device_out;
};

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace markeval::bench
