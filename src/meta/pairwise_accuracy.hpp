// Pairwise accuracy that credits ties, with the metric's tie threshold chosen on the data: acc*_eq, "acc23"
// in mt-metrics-eval (Deutsch, Foster and Freitag 2023, "Ties Matter").
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "meta/kendall.hpp"
#include "meta/values.hpp"

namespace markeval::meta {

/// (concordant + tied in both) / pairs; absent without pairs.
std::optional<double> pairwise_accuracy(const PairCounts& counts);

/// The counts when predicted values at most `tie_threshold` apart are ties. Looks at every pair; throws
/// Error(cancelled) on request, as does the calibration.
PairCounts count_pairs_with_threshold(std::span<const double> gold, std::span<const double> predicted,
                                      double tie_threshold);

struct CalibratedAccuracy {
  double tie_threshold = 0;
  std::vector<std::optional<double>> groups;  ///< at that threshold; absent for fewer than two rows
  std::optional<double> mean;                 ///< over the groups that have one
};

/// The most pairs a calibration looks at: each is held in memory.
inline constexpr std::size_t kMostCalibrationPairs = 100'000'000;

/// The tie threshold, one for all groups, that gives the highest mean accuracy over groups: 0 or a difference
/// of two predicted values; of equal ones the smallest. Exact: every pair inside a group is looked at. Throws
/// Error(invalid_input) above kMostCalibrationPairs.
CalibratedAccuracy calibrate_accuracy(std::span<const Pairs> groups);

}  // namespace markeval::meta
