// Which metric to trust: the metrics of a `correlate` run ranked, and a sentence that a test supports.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/correlations.hpp"

namespace markeval::report {

/// At most: p of a difference that is no chance.
inline constexpr double kSeparated = 0.05;

/// Is it the row a metric is ranked by: the mean over groups, or the one of a table without groups?
bool is_whole(const meta::CorrelationRow& row);

/// The row of the metric `predicted` (a place in CorrelationRun::predicted) that it is ranked by.
const meta::CorrelationRow& whole_row(const CorrelationRun& run, std::size_t predicted);

/// Places in CorrelationRun::predicted by the first coefficient, the best first. Where lower scores are
/// better the lowest coefficient is the best. Metrics without a value come last.
std::vector<std::size_t> best_metrics_first(const CorrelationRun& run);

/// "chrf agrees best with human (pearson 0.62); bleu cannot be told from it; ter is worse (perm-both, holm)."
std::string verdict_of(const CorrelationRun& run);

}  // namespace markeval::report
