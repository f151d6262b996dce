// Paired tests of systems, from what a run of scoring kept of their segments or rows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/run_context.hpp"
#include "meta/multiple_comparison.hpp"
#include "metric/registry.hpp"
#include "report/comparisons.hpp"

namespace markeval::score {

enum class SystemTest { bootstrap, randomisation, t };

/// "bootstrap", "randomisation", "t". Throws Error(usage) with the closest name for any other.
SystemTest system_test_named(std::string_view name);

struct ComparisonSettings {
  SystemTest test = SystemTest::bootstrap;
  std::size_t resamples = 1000;
  std::uint64_t seed = 12345;
  meta::Correction correction = meta::Correction::holm;
  double alpha = 0.05;
};

/// All results of one metric. `systems[s]` is what the metric said about system s, with intervals, resampled
/// scores and what the test needs (ScoreRequest::keep_statistics). The metric allows the test.
std::vector<report::ComparedResult> compare_systems(std::span<const Result* const> systems,
                                                    const Metric& request, const ComparisonSettings& settings,
                                                    const RunContext& context);

}  // namespace markeval::score
