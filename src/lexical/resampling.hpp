// Intervals and paired tests from segment statistics, with the random streams and the arithmetic of
// sacrebleu 2.6.0 (under NumPy 2), so that its intervals and p-values come out the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lexical/python_number.hpp"
#include "lexical/segment_statistics.hpp"

namespace markeval::lexical {

/// The score of summed statistics, in the arithmetic the numbers carry.
using ScoreFunction = FunctionRef<PythonNumber(std::span<const PythonNumber>)>;

/// Summary of the resampled scores: sacrebleu prints "mean +- half_width".
struct BootstrapSummary {
  double mean = 0;
  double half_width = 0;
  Interval interval;  ///< 95 %
};

/// How resampled rows are summed and handed to the score: as float32, which is how sacrebleu resamples, or as
/// double.
enum class Arithmetic { single, twofold };

/// The scores of `samples` resamples of the segments, for each system the same resamples.
std::vector<ResampledScores> bootstrap_scores(std::span<const SegmentStatistics> systems, std::size_t samples,
                                              std::uint64_t seed, ScoreFunction score,
                                              const RunContext& context,
                                              Arithmetic arithmetic = Arithmetic::single);
BootstrapSummary summary_of(const ResampledScores& scores, const RunContext& context);

/// Paired bootstrap (Koehn 2004) of two systems: how many resamples differ by more than the real difference
/// after the mean difference is taken off; (hits + 1) / (samples + 1). The order of the two does not matter.
double paired_bootstrap_p_value(double first, double second, const ResampledScores& first_scores,
                                const ResampledScores& second_scores);

struct SystemPair {
  std::size_t first = 0, second = 0;
};

/// Approximate randomisation (Riezler and Maxwell 2005) of each pair: share of random exchanges of segments
/// whose difference exceeds the real one; (hits + 1) / (trials + 1).
std::vector<double> paired_randomization(std::span<const SegmentStatistics> systems,
                                         std::span<const SystemPair> pairs, std::size_t trials,
                                         std::uint64_t seed, ScoreFunction score, const RunContext& context);

}  // namespace markeval::lexical
