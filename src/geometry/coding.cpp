#include "geometry/coding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/random.hpp"

namespace markeval::geometry {
namespace {

constexpr double kFloatRounding = 0x1.0p-24;
constexpr float kLargestCode = 127;

// In place, `size` a power of two, without the factor 1/sqrt(size).
void walsh_hadamard(float* values, std::size_t size) {
  for (std::size_t half = 1; half < size; half *= 2) {
    for (std::size_t block = 0; block < size; block += 2 * half) {
      float* const low = values + block;
      float* const high = low + half;
      for (std::size_t i = 0; i < half; ++i) {
        const float sum = low[i] + high[i];
        high[i] = low[i] - high[i];
        low[i] = sum;
      }
    }
  }
}

// Rounds to float, upwards: a bound must stay a bound.
float upper(double value) {
  return std::nextafter(static_cast<float>(value), std::numeric_limits<float>::infinity());
}

}  // namespace

CodeBuilder::CodeBuilder(std::size_t rows, std::size_t columns)
    : rows_(rows),
      columns_(columns),
      signs_(columns),
      codes_(rows * columns),
      scale_(rows),
      slack_(rows),
      squared_norm_(rows) {
  RandomStream stream(0x6d61726b, columns);  // fixed: the filter must not depend on the user's seed
  for (float& sign : signs_) sign = (stream.next() & 1) != 0 ? 1.0f : -1.0f;
  // Each butterfly level rounds every element once (relative to the level's result, whose length is the row's
  // up to the known factor), and the final scaling rounds twice.
  rotation_error_ = static_cast<double>(std::bit_width(columns) + 3) * kFloatRounding * 1.01;
}

void CodeBuilder::set_row(std::size_t row, float* values, double error) {
  double squares = 0;
  for (std::size_t i = 0; i < columns_; ++i) {
    squares += static_cast<double>(values[i]) * values[i];
    values[i] *= signs_[i];
  }
  float largest = 0;
  for (std::size_t begin = 0; begin < columns_;) {  // 768 = 512 + 256: blocks of powers of two, largest first
    const std::size_t size = std::bit_floor(columns_ - begin);
    walsh_hadamard(values + begin, size);
    const float shrink = 1 / std::sqrt(static_cast<float>(size));
    for (std::size_t i = begin; i < begin + size; ++i) {
      values[i] *= shrink;
      largest = std::max(largest, std::fabs(values[i]));
    }
    begin += size;
  }
  std::int8_t* const codes = codes_.data() + row * columns_;
  const float scale = largest / kLargestCode;
  // A scale that is denormal would lose all accuracy in its inverse: such a row is coded as zero, all of it
  // slack.
  const float inverse = scale > 1e-30f ? kLargestCode / largest : 0.0f;
  double lost = 0;
  std::int64_t code_squares = 0;
  for (std::size_t i = 0; i < columns_; ++i) {
    const float code = std::clamp(std::nearbyint(values[i] * inverse), -kLargestCode, kLargestCode);
    codes[i] = static_cast<std::int8_t>(code);
    const double rest =
        static_cast<double>(values[i]) - static_cast<double>(scale) * static_cast<double>(code);
    lost += rest * rest;
    code_squares += static_cast<std::int64_t>(code) * static_cast<std::int64_t>(code);
  }
  scale_[row] = scale;
  squared_norm_[row] = static_cast<float>(static_cast<double>(scale) * static_cast<double>(scale) *
                                          static_cast<double>(code_squares));
  slack_[row] = upper(std::sqrt(lost) * 1.000001 + rotation_error_ * std::sqrt(squares) + error + 1e-36);
}

CodedSet CodeBuilder::finish(compute::Device& device) {
  const auto codes =
      compute::upload_matrix(device, MatrixView<const std::int8_t>(codes_.data(), rows_, columns_));
  const auto scale = compute::upload_row<float>(device, scale_);
  const auto norm = compute::upload_row<float>(device, squared_norm_);
  CodedSet set;
  set.rows = device.pack_codes(codes.view(), scale.view(), norm.view());
  codes_ = {};
  set.slack = std::move(slack_);
  set.squared_norm = std::move(squared_norm_);
  for (std::size_t begin = 0; begin < rows_; begin += kBlockRows) {
    const auto end = static_cast<std::ptrdiff_t>(std::min(rows_, begin + kBlockRows));
    const auto from = static_cast<std::ptrdiff_t>(begin);
    set.block_slack.push_back(*std::max_element(set.slack.begin() + from, set.slack.begin() + end));
    set.block_norm.push_back(
        *std::max_element(set.squared_norm.begin() + from, set.squared_norm.begin() + end));
  }
  return set;
}

}  // namespace markeval::geometry
