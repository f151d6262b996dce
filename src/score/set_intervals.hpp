// Intervals of set metrics. A bootstrap is wrong for them (a row drawn twice is its own neighbour at distance
// 0), so the rows are split into halves and both are scored: see meta/split_halves.hpp. Sets of equally many
// rows are split the same way, so that the scores of two systems may be compared split by split.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "score/sample_set.hpp"

namespace markeval::score {

/// The sets that are split, and the metrics that score them.
struct SplitSets {
  geometry::SetEngine& engine;
  const SampleSet& reference;
  const SampleSet& system;
  std::span<const Metric> requests;
};

struct SplitSettings {
  std::size_t splits = 1000;
  std::uint64_t seed = 12345;
  std::size_t drawn = 0;                  ///< so many texts of each set; 0: all
  bool keep = false;                      ///< the differences between the halves too, for paired tests
  std::size_t runs = 1, runs_before = 0;  ///< as many calls are made in all, and were made: for the progress
  const char* option = "--ci";            ///< what sets `splits` on the command line
};

/// Where the first split took so long that all take 20 seconds or more, what to say before the others:
/// "200 splits of 2 systems: about 10:11 min; --resamples 100 takes half of that". Else nothing.
std::string expected_time(std::chrono::duration<double> one, const SplitSettings& split);

/// Adds intervals and says so in the signatures. The first call says how long all of them will take, where
/// that is long. `results` are those of score_sets for the same arguments. Throws Error(invalid_input) where
/// half of the rows are too few.
void add_split_intervals(const SplitSets& sets, metric::SetSettings settings, const SplitSettings& split,
                         const RunContext& context, std::span<Result> results);

}  // namespace markeval::score
