// Is one system better than another? Paired tests from what a metric keeps of each segment: scores, or the
// statistics a corpus score is computed from. Statistics are summed first and aggregated second, so a
// resample costs sums only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/matrix_view.hpp"
#include "base/parallel.hpp"
#include "base/result.hpp"
#include "base/run_context.hpp"

namespace markeval::meta {

/// Corpus score of summed segment statistics; `segments` is how many were summed. Pure: called from several
/// threads.
///   mean of segment scores: [](sums, segments) { return sums[0] / segments; }
using Aggregate = FunctionRef<double(std::span<const double> sums, std::size_t segments)>;

struct SystemTestOptions {
  std::size_t resamples = 1000;
  std::uint64_t seed = 12345;
};

struct SystemDifference {
  double baseline = 0, system = 0, difference = 0;  ///< system - baseline
  double p_value = 1;                               ///< two-sided
  std::optional<Interval> interval;                 ///< of the difference; bootstrap and t test
};

/// The two systems' segments exchanged by coin flips: p = (1 + how often |d*| >= |d|) / (resamples + 1)
/// (Noreen 1989; Riezler and Maxwell 2005). The matrices hold a row per segment. Throws Error(invalid_input)
/// for no segments, for values that are not finite and for systems of different shape.
SystemDifference approximate_randomisation(MatrixView<const double> baseline, MatrixView<const double> system,
                                           Aggregate aggregate, const SystemTestOptions& options,
                                           const RunContext& context);

/// The paired bootstrap from scores at hand: those of both systems, and their difference (system - baseline)
/// in every resample, for which the same segments were drawn. p = (1 + how often |d* - d| >= |d|) /
/// (resamples + 1): the distribution of the difference, shifted to the null hypothesis (Efron and Tibshirani
/// 1993, chapter 16; the pairing as in Koehn 2004). Throws Error(invalid_input) for no resamples.
SystemDifference resampled_difference(double baseline, double system, std::vector<double> differences,
                                      double interval = 0.95);

/// Student's paired t test of segment scores. Absent for fewer than two segments, and where all differences
/// are equal but not 0.
std::optional<SystemDifference> paired_t_test(std::span<const double> baseline,
                                              std::span<const double> system, double interval = 0.95);

/// A system's place. Ranks count from 1, the best first.
struct RankedSystem {
  std::size_t system = 0;      ///< its index in the scores given
  std::size_t cluster = 1;     ///< rank of its cluster: 1 + number of systems in better clusters
  std::size_t best_rank = 1;   ///< 1 + number of systems significantly better
  std::size_t worst_rank = 1;  ///< number of systems - number significantly worse
};

/// Systems by falling score, clustered as WMT does: a border between two neighbours only where every system
/// above is significantly better than every one below. `p_values(i, j)` symmetric, two-sided; separated means
/// p <= alpha.
std::vector<RankedSystem> rank_systems(std::span<const double> scores, MatrixView<const double> p_values,
                                       double alpha = 0.05, bool higher_is_better = true);

}  // namespace markeval::meta
