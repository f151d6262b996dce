// Precision and recall of distributions (Sajjadi et al. 2018) from two histograms over the same clusters.
#pragma once

#include <span>
#include <vector>

namespace markeval::metric {

struct PrdCurve {
  std::vector<double> precision;  ///< one value per slope
  std::vector<double> recall;
};

/// tan(angle) for so many angles from 1e-10 to pi/2 - 1e-10. Our own tangent is slow: made once, used for
/// every curve.
std::vector<double> prd_slopes(std::size_t angles);

/// Histograms that each sum to 1. At every slope precision = sum over clusters of min(slope * reference,
/// evaluated), recall = precision / slope; both within [0, 1].
PrdCurve prd_curve(std::span<const double> reference, std::span<const double> evaluated,
                   std::span<const double> slopes);

/// The largest F_beta on the curve: beta > 1 favours recall.
double best_f_beta(const PrdCurve& curve, double beta);

}  // namespace markeval::metric
