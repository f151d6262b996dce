// Intervals of set metrics. A bootstrap is wrong for them (a row drawn twice is its own neighbour at distance
// 0), so half of the rows are drawn, each at most once, and scored again: see meta/subsampling.hpp. Sets of
// equally many rows are drawn the same rows, so that the scores of two systems may be compared draw by draw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "metric/score_sets.hpp"

namespace markeval {

struct SubsamplingSettings {
  std::size_t draws = 1000;
  std::uint64_t seed = 12345;
  bool keep = false;  ///< the scores of the draws too, for paired tests
};

/// Adds intervals and says so in the signatures. `results` are those of score_sets for the same arguments.
/// Throws Error(invalid_input) where half of the rows are too few.
void add_subsampling(const metric::SampleSet& reference, const metric::SampleSet& system,
                     std::span<const metric::MetricRequest> requests, metric::SetSettings settings,
                     const SubsamplingSettings& subsampling, compute::Device& device,
                     const RunContext& context, std::span<metric::MetricResult> results);

}  // namespace markeval
