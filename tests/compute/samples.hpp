// Random operands for tests and benchmarks of compute devices.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/matrix_view.hpp"
#include "base/random.hpp"
#include "compute/cpu/pair_operations.hpp"
#include "compute/device.hpp"

namespace markeval::compute::samples {

/// A row-major matrix, its rows `stride` apart; what lies between rows is NaN, so that reading it shows.
struct Floats {
  std::size_t rows, columns, stride;
  std::vector<float> values;

  MatrixView<const float> view() const { return {values.data(), rows, columns, stride}; }
};

inline Floats floats(std::size_t rows, std::size_t columns, std::size_t stride, std::uint64_t seed) {
  Floats result{rows, columns, stride, std::vector<float>(rows * stride, std::nanf(""))};
  RandomStream random(seed, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      result.values[row * stride + column] = static_cast<float>(random.normal());
    }
  }
  return result;
}

/// Rounded to nearest, ties to even; not for NaN.
inline Bf16 to_bf16(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return {static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
}
inline float to_float(Bf16 value) {
  const std::uint32_t bits = std::uint32_t{value.bits} << 16;
  float result;
  std::memcpy(&result, &bits, sizeof bits);
  return result;
}
/// The value a bf16 kernel sees.
inline float rounded_to_bf16(float value) {
  return to_float(to_bf16(value));
}

struct Codes {
  std::size_t rows, columns;
  std::vector<std::int8_t> values;
  std::vector<float> scale, squared_norm;

  std::span<const std::int8_t> row(std::size_t index) const {
    return {values.data() + index * columns, columns};
  }
};

enum class Scales { each_its_own, one_for_all };

/// `spread` 127 gives the whole range, with both ends present.
inline Codes codes(std::size_t rows, std::size_t columns, int spread, std::uint64_t seed,
                   Scales scales = Scales::each_its_own) {
  Codes result{rows, columns, {}, {}, {}};
  RandomStream random(seed, 1);
  for (std::size_t row = 0; row < rows; ++row) {
    const double own = 0.001 * (1 + random.uniform());
    const double scale = scales == Scales::one_for_all ? 0.0015 : own;
    double sum = 0;
    for (std::size_t column = 0; column < columns; ++column) {
      int code = static_cast<int>(random.below(static_cast<std::uint64_t>(2 * spread + 1))) - spread;
      if (spread == 127 && row % 3 == 0) code = row % 2 == 0 ? 127 : -127;  // the largest sums there are
      result.values.push_back(static_cast<std::int8_t>(code));
      sum += static_cast<double>(code * code);
    }
    const auto stored = static_cast<float>(scale);
    result.scale.push_back(stored);
    result.squared_norm.push_back(
        static_cast<float>(sum * static_cast<double>(stored) * static_cast<double>(stored)));
  }
  return result;
}

inline std::unique_ptr<cpu::CodedRows> pack(const cpu::PairOperations& pairs, const Codes& codes) {
  return pairs.pack({codes.values.data(), codes.rows, codes.columns}, codes.scale, codes.squared_norm);
}

/// Device copy of `host` that keeps its stride.
inline DeviceArray<float> upload_strided(Device& device, const Floats& host) {
  return upload_matrix(device, MatrixView<const float>(host.values.data(), host.rows, host.stride));
}

/// The same, rounded.
inline DeviceArray<Bf16> upload_rounded(Device& device, const Floats& host) {
  std::vector<Bf16> narrow;
  for (const float value : host.values) narrow.push_back(to_bf16(value));
  return upload_matrix(device, MatrixView<const Bf16>(narrow.data(), host.rows, host.stride));
}

}  // namespace markeval::compute::samples
