// Precision is the sum of min(slope * reference, evaluated) over clusters; recall is precision / slope.
#include "metric/prd_curve.hpp"

#include <algorithm>
#include <cassert>
#include <numbers>

#include "base/elementary.hpp"

namespace markeval::metric {

std::vector<double> prd_slopes(std::size_t angles) {
  assert(angles >= 2);
  constexpr double kMargin = 1e-10;
  const double step = (std::numbers::pi / 2 - 2 * kMargin) / static_cast<double>(angles - 1);
  std::vector<double> slopes;
  for (std::size_t i = 0; i < angles; ++i) {
    slopes.push_back(elementary::tan(kMargin + step * static_cast<double>(i)));
  }
  return slopes;
}

PrdCurve prd_curve(std::span<const double> reference, std::span<const double> evaluated,
                   std::span<const double> slopes) {
  assert(reference.size() == evaluated.size());
  PrdCurve curve;
  for (const double slope : slopes) {
    double precision = 0;
    for (std::size_t c = 0; c < reference.size(); ++c)
      precision += std::min(slope * reference[c], evaluated[c]);
    curve.precision.push_back(std::clamp(precision, 0.0, 1.0));
    curve.recall.push_back(std::clamp(precision / slope, 0.0, 1.0));
  }
  return curve;
}

double best_f_beta(const PrdCurve& curve, double beta) {
  const double square = beta * beta;
  double best = 0;
  for (std::size_t i = 0; i < curve.precision.size(); ++i) {
    const double precision = curve.precision[i], recall = curve.recall[i];
    best = std::max(best, (1 + square) * precision * recall / (square * precision + recall + 1e-10));
  }
  return best;
}

}  // namespace markeval::metric
