// Cosine and sine from Taylor sums after reduction by quarter turns, the same bits on every machine.
#include "encoder/rotary.hpp"

#include <cassert>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/elementary.hpp"

namespace markeval::encoder {
namespace {

// pi / 2 as the sum of two doubles, and its inverse.
constexpr double kQuarter = 0x1.921fb54442d18p+0;
constexpr double kQuarterRest = 0x1.1a62633145c07p-54;
constexpr double kQuartersPerUnit = 0x1.45f306dc9c883p-1;

struct Point {
  double cosine, sine;
};

// Taylor sums up to r^16 and r^17, for |r| <= pi / 4: what is left out is below 3e-18.
Point point_near_zero(double r) {
  const double square = r * r;
  double cosine = 1, sine = 1;
  for (int term = 16; term > 0; term -= 2) {
    cosine = 1 - cosine * square / (term * (term - 1));
    sine = 1 - sine * square / (term * (term + 1));
  }
  return {cosine, sine * r};
}

// The angle less whole quarters of a turn, whose number says which coordinate is which.
Point point_at(float angle) {
  const double quarters = std::floor(static_cast<double>(angle) * kQuartersPerUnit + 0.5);
  const double rest =
      std::fma(-quarters, kQuarterRest, std::fma(-quarters, kQuarter, static_cast<double>(angle)));
  const auto [cosine, sine] = point_near_zero(rest);
  switch (static_cast<std::int64_t>(quarters) % 4) {
    case 0:
      return {cosine, sine};
    case 1:
      return {-sine, cosine};
    case 2:
      return {-cosine, -sine};
    default:
      return {sine, -cosine};
  }
}

}  // namespace

RotaryTable make_rotary_table(compute::Device& device, std::size_t positions, std::size_t head_width,
                              double theta) {
  assert(theta >= 1 && head_width % 2 == 0);
  const std::size_t points = head_width / 2;
  std::vector<float> frequencies;
  for (std::size_t point = 0; point < points; ++point) {
    const float exponent = static_cast<float>(2 * point) / static_cast<float>(head_width);
    frequencies.push_back(1 / static_cast<float>(elementary::pow(static_cast<float>(theta), exponent)));
  }
  std::vector<float> cosines, sines;
  cosines.reserve(positions * points);
  sines.reserve(positions * points);
  for (std::size_t position = 0; position < positions; ++position) {
    for (const float frequency : frequencies) {
      const Point point = point_at(frequency * static_cast<float>(position));
      cosines.push_back(static_cast<float>(point.cosine));
      sines.push_back(static_cast<float>(point.sine));
    }
  }
  const auto upload = [&](const std::vector<float>& table) {
    return compute::upload_matrix(device, MatrixView<const float>(table.data(), positions, points));
  };
  return {upload(cosines), upload(sines)};
}

}  // namespace markeval::encoder
