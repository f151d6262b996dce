// Williams' test: do two metrics correlate differently with the same human scores, given how they correlate
// with each other? (Williams 1959; Steiger 1980; for metrics: Graham and Baldwin 2014.)
#pragma once

#include <cstddef>
#include <optional>

namespace markeval::meta {

struct WilliamsResult {
  double t = 0;                   ///< positive where the first metric correlates better
  double degrees_of_freedom = 0;  ///< n - 3
  double p_value = 1;             ///< two-sided
  double p_greater = 1;           ///< one-sided: that the first metric is no better than the second
};

/// `first` and `second`: correlation of either metric with the gold scores; `between`: of the metrics with
/// each other.
///   t = (r1 - r2) sqrt((n - 1)(1 + r12)) / sqrt(2 K (n - 1)/(n - 3) + ((r1 + r2)/2)^2 (1 - r12)^3),
///   K = 1 - r1^2 - r2^2 - r12^2 + 2 r1 r2 r12.
/// Equal correlations: t = 0. Absent for fewer than four rows, and where the formula has no value although
/// the correlations differ. Throws Error(invalid_input) for correlations outside [-1, 1].
std::optional<WilliamsResult> williams_test(double first, double second, double between, std::size_t rows);

}  // namespace markeval::meta
