// Precision and recall of distributions (Sajjadi et al. 2018) from two histograms over the same clusters.
#pragma once

#include <span>
#include <vector>

namespace markeval::metric {

struct PrdCurve {
  std::vector<double> precision;  ///< one value per angle
  std::vector<double> recall;
};

/// Histograms that each sum to 1. Angles from 1e-10 to pi/2 - 1e-10; slope = tan(angle);
/// precision = sum over clusters of min(slope * reference, evaluated), recall = precision / slope; both
/// within [0, 1].
PrdCurve prd_curve(std::span<const double> reference, std::span<const double> evaluated,
                   std::size_t angles = 1001);

/// The largest F_beta on the curve: beta > 1 favours recall.
double best_f_beta(const PrdCurve& curve, double beta);

}  // namespace markeval::metric
