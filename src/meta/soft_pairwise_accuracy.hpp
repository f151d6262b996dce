// Soft pairwise accuracy (Thompson et al. 2024, "Improving Statistical Significance in Human Evaluation of
// Automatic Metrics via Soft Pairwise Accuracy"): over all pairs of systems, 1 - the mean difference between
// the people's p-value and the metric's p-value that one system is better than the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/matrix_view.hpp"
#include "base/run_context.hpp"

namespace markeval::meta {

struct SoftAccuracyOptions {
  std::size_t permutations = 1000;
  std::uint64_t seed = 12345;
};

/// p-values of all pairs i < j of systems (lexicographic order): the share of permutations, two systems'
/// segments exchanged by coin flips, whose difference of sums reaches the real one of i - j. One-sided and
/// without +1, as in mt-metrics-eval's pce.py. `scores` holds a row per system. Throws Error(invalid_input)
/// for values that are not finite.
std::vector<double> pairwise_p_values(MatrixView<const double> scores, const SoftAccuracyOptions& options,
                                      const RunContext& context);

/// Absent for fewer than two systems or no segments. Throws Error(invalid_input) for shapes that differ.
std::optional<double> soft_pairwise_accuracy(MatrixView<const double> gold,
                                             MatrixView<const double> predicted,
                                             const SoftAccuracyOptions& options, const RunContext& context);

}  // namespace markeval::meta
