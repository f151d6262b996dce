// Intervals of scores made from segments: the same resamples of the segments for every system, so that the
// resampled scores may also be compared in pairs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/run_context.hpp"
#include "lexical/resampling.hpp"

namespace markeval::metric {

struct BootstrapSettings {
  std::size_t resamples = 1000;
  std::uint64_t seed = 12345;
  bool keep = false;  ///< the scores of the resamples too, for paired tests
};

/// By result, of statistics summed over as many segments as there are.
using ScoresOfSum =
    FunctionRef<std::vector<lexical::PythonNumber>(std::span<const lexical::PythonNumber> sum)>;

/// Adds intervals, and mean and half width of the resampled scores as details. One of `statistics` per
/// system; out[s] is the result of system s.
void add_bootstrap(std::span<const SegmentStatistics> statistics, ScoresOfSum scores,
                   lexical::Arithmetic arithmetic, const BootstrapSettings& settings,
                   const RunContext& context, std::span<Result> out);

/// The same for results whose score is the mean of their segment scores, which must be there; says so in
/// their signature. All results are of one metric and have equally many segments.
void add_bootstrap_of_means(const BootstrapSettings& settings, const RunContext& context,
                            std::span<Result> out);

/// In front of the version, where there is one: bs -> 1000.
void add_to_signature(Result& result, const std::string& key, const std::string& value);

}  // namespace markeval::metric
