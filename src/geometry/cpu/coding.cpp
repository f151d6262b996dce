// Rotation, rounding and the bounds on what they lose (docs/background/exactness.md, steps 2 and 3). The
// bounds are computed in double from float sums with a known error. A bound that is too large costs time, one
// that is too small loses a pair: whoever changes an operation here counts its roundings again.
#include "geometry/cpu/coding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/random.hpp"

namespace markeval::geometry::cpu {
namespace {

constexpr float kLargestCode = 127;
// Rows so small that the inverse of their step would overflow are coded as zero, all of them slack.
constexpr float kSmallest = 1e-30f;

/// Sums of so many float squares are right to (columns / 8 + 10) roundings.
double sum_error(std::size_t columns) {
  return (static_cast<double>(columns) / 8 + 10) * kFloatRounding;
}

// In place, `size` a power of two, without the factor 1/sqrt(size).
void walsh_hadamard(float* values, std::size_t size) {
  std::size_t half = 1;
  if (size >= 4) {  // the first two levels together, in a loop that the compiler can vectorise
    for (std::size_t i = 0; i < size; i += 4) {
      float* const four = values + i;
      const float sums[2] = {four[0] + four[1], four[2] + four[3]};
      const float differences[2] = {four[0] - four[1], four[2] - four[3]};
      four[0] = sums[0] + sums[1];
      four[1] = differences[0] + differences[1];
      four[2] = sums[0] - sums[1];
      four[3] = differences[0] - differences[1];
    }
    half = 4;
  }
  for (; half < size; half *= 2) {
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

// Magnitudes of finite floats are ordered as their bits are, and integers make a loop the compiler can
// vectorise.
float largest_magnitude(const float* values, std::size_t count) {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    largest = std::max(largest, std::bit_cast<std::uint32_t>(values[i]) & 0x7fffffffu);
  }
  return std::bit_cast<float>(largest);
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
      squared_norm_(rows),
      length_(rows),
      square_error_(rows) {
  RandomStream stream(0x6d61726b, columns);  // fixed: the filter must not depend on the user's seed
  for (float& sign : signs_) sign = (stream.next() & 1) != 0 ? 1.0f : -1.0f;
  // Each butterfly level rounds every element once (relative to the level's result, whose length is the row's
  // up to the known factor), and the final scaling rounds twice.
  rotation_error_ = static_cast<double>(std::bit_width(columns) + 3) * kFloatRounding * 1.01;
}

void CodeBuilder::rotate(float* values) const {
  for (std::size_t i = 0; i < columns_; ++i) values[i] *= signs_[i];
  for (std::size_t begin = 0; begin < columns_;) {  // 768 = 512 + 256: blocks of powers of two, largest first
    const std::size_t size = std::bit_floor(columns_ - begin);
    walsh_hadamard(values + begin, size);
    const float shrink = 1 / std::sqrt(static_cast<float>(size));
    for (std::size_t i = begin; i < begin + size; ++i) values[i] *= shrink;
    begin += size;
  }
}

void CodeBuilder::set_row(std::size_t row, float* values, double error, double relative_error) {
  const auto squares =
      static_cast<double>(sum_of_floats(columns_, [=](std::size_t i) { return values[i] * values[i]; }));
  rotate(values);
  error += relative_error * std::sqrt(squares) * (1 + sum_error(columns_));
  const float largest = largest_magnitude(values, columns_);
  const float inverse = largest > kSmallest ? kLargestCode / largest : 0.0f;
  std::int8_t* const codes = codes_.data() + row * columns_;
  std::int32_t code_squares = 0;
  for (std::size_t i = 0; i < columns_; ++i) {
    // Adding and taking off 1.5 * 2^23 rounds to the nearest integer; the factor above keeps it within 127.
    const auto whole = static_cast<std::int32_t>((values[i] * inverse + 0x1.8p23f) - 0x1.8p23f);
    codes[i] = static_cast<std::int8_t>(whole);
    code_squares += whole * whole;
  }
  // The scale that keeps the length.
  const float scale = code_squares > 0 ? static_cast<float>(std::sqrt(squares / code_squares)) : 0.0f;
  const float lost = sum_of_floats(columns_, [=](std::size_t i) {
    const float left = values[i] - scale * static_cast<float>(codes[i]);
    return left * left;
  });
  const double root_columns = std::sqrt(static_cast<double>(columns_));
  const double relative = sum_error(columns_);
  const double norm = static_cast<double>(scale) * static_cast<double>(scale) * code_squares;
  const double length = std::sqrt(std::max(squares, norm)) * (1 + relative);
  scale_[row] = scale;
  squared_norm_[row] = static_cast<float>(norm);
  // Subtracting the code rounds twice.
  slack_[row] = upper(std::sqrt(static_cast<double>(lost)) * (1 + relative) +
                      2 * kFloatRounding * root_columns * largest + rotation_error_ * length + error + 1e-18);
  length_[row] = upper(length + error + 1e-18);
  square_error_[row] = upper(std::fabs(squares - norm) + (relative + 2 * kFloatRounding) * length * length +
                             (2 * length + error) * error + 1e-36);
}

CodedSet CodeBuilder::finish(const PairOperations& pairs) {
  CodedSet set;
  set.rows = pairs.pack({codes_.data(), rows_, columns_}, scale_, squared_norm_);
  codes_ = {};
  set.slack = std::move(slack_);
  set.squared_norm = std::move(squared_norm_);
  set.length = std::move(length_);
  set.square_error = std::move(square_error_);
  set.find_maxima();
  return set;
}

void CodedSet::find_maxima() {
  for (std::size_t begin = 0; begin < slack.size(); begin += kBlockRows) {
    BlockMaxima& most = blocks.emplace_back();
    for (std::size_t row = begin; row < std::min(slack.size(), begin + kBlockRows); ++row) {
      most.slack = std::max(most.slack, slack[row]);
      most.squared_norm = std::max(most.squared_norm, squared_norm[row]);
      most.length = std::max(most.length, length[row]);
      most.square_error = std::max(most.square_error, square_error[row]);
    }
  }
}

CodedSet CodedSet::gather(std::span<const std::uint32_t> chosen, const PairOperations& pairs) const {
  const std::size_t columns = rows->columns();
  AlignedBuffer<std::int8_t> codes(chosen.size() * columns);
  std::int8_t* out = codes.begin();
  std::vector<float> scale;
  CodedSet set;
  for (const std::uint32_t row : chosen) {
    out = std::copy_n(rows->row(row), columns, out);
    scale.push_back(rows->scale()[row]);
    set.slack.push_back(slack[row]);
    set.squared_norm.push_back(squared_norm[row]);
    set.length.push_back(length[row]);
    set.square_error.push_back(square_error[row]);
  }
  set.rows = pairs.pack({codes.data(), chosen.size(), columns}, scale, set.squared_norm);
  set.find_maxima();
  return set;
}

}  // namespace markeval::geometry::cpu
