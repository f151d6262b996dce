// WMT's "Kendall-like" coefficient for better/worse pairs (Bojar et al. 2017, "Results of the WMT17 Metrics
// Shared Task", DARR): of the pairs people order clearly, how many does the metric order the same way? A tie
// of the metric counts against it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace markeval::meta {

/// Pairs of raw direct assessments closer than this (of 100) are not judged (same source).
inline constexpr double kDirectAssessmentThreshold = 25;

struct BetterWorseCounts {
  std::uint64_t concordant = 0;
  std::uint64_t discordant = 0;  ///< metric ties included

  /// (concordant - discordant) / (concordant + discordant); absent without pairs.
  std::optional<double> coefficient() const;
};

/// Judged pairs given one by one: the metric's score of the better and of the worse side.
/// Throws Error(invalid_input) for lengths that differ and for values that are not finite.
BetterWorseCounts count_better_worse(std::span<const double> better, std::span<const double> worse);

/// All pairs of rows whose gold values differ by at least `threshold`, in n log n. With a threshold of 0,
/// pairs of equal gold values are judged too and count against the metric, as mt-metrics-eval does. Throws
/// Error(invalid_input) also for a negative threshold.
BetterWorseCounts count_better_worse_rows(std::span<const double> gold, std::span<const double> predicted,
                                          double threshold = kDirectAssessmentThreshold);

}  // namespace markeval::meta
