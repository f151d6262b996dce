// Better/worse pairs that people judged one by one (WMT's DARR files), and how well metrics order them. The
// coefficient is kendall-like (meta/kendall_like.hpp). Resamples draw source segments: the pairs of one
// source are not independent of each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/run_context.hpp"
#include "meta/metric_significance.hpp"
#include "meta/score_table.hpp"

namespace markeval::meta {

/// All lists have one entry per pair; `segment` and `group` may be empty.
struct JudgedPairs {
  std::vector<std::uint32_t> better, worse;  ///< rows of the table
  std::vector<std::string> segment;          ///< the source; empty: every pair has its own
  std::vector<std::string> group;            ///< empty: all pairs are one group

  std::size_t size() const { return better.size(); }
};

/// For each column a row per group and, where pairs have groups, a row "mean", which weighs groups by their
/// pairs as WMT does. `n` counts pairs. With resamples, 95 % intervals from source segments drawn with
/// replacement inside each group. The same for any number of threads.
std::vector<CorrelationRow> correlate_pairs(const ScoreTable& table, const JudgedPairs& pairs,
                                            std::size_t resamples, std::uint64_t seed,
                                            const RunContext& context);

/// All pairs of columns, by the same resamples: compare_metrics() with MetricTest::bootstrap. A pair with a
/// score missing in either column is left out of both.
std::vector<MetricDifference> compare_on_pairs(const ScoreTable& table, const JudgedPairs& pairs,
                                               const MetricTestOptions& options, const RunContext& context);

}  // namespace markeval::meta
