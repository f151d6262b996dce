// Which metric to trust: the metrics of a `correlate` run ranked, and sentences that a test supports.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/correlations.hpp"

namespace markeval::report {

/// At most: p of a difference that is no chance.
inline constexpr double kSeparated = 0.05;

/// So many metrics are named in a sentence; of more their number stands there.
inline constexpr std::size_t kNamesInVerdict = 4;

/// Is it the row a metric is ranked by: the mean over groups, or the one of a table without groups?
bool is_whole(const meta::CorrelationRow& row);

/// The row of the metric `predicted` (a place in CorrelationRun::predicted) that it is ranked by.
const meta::CorrelationRow& whole_row(const CorrelationRun& run, std::size_t predicted);

/// Places in CorrelationRun::predicted by the first coefficient, the best first. Where lower scores are
/// better the lowest coefficient is the best. Metrics without a value come last.
std::vector<std::size_t> best_metrics_first(const CorrelationRun& run);

/// A verdict in pieces: the title stands large on a page.
struct VerdictParts {
  std::string title;                  ///< "chrf agrees best with human"
  std::string number{};               ///< "pearson 0.62"; may be empty
  std::string rest{};                 ///< " Worse: ter (perm-both test, ...)."; may be empty
  std::optional<std::size_t> best{};  ///< the metric that a test separates from all others
};
VerdictParts verdict_parts(const CorrelationRun& run);

/// "Highest with human: chrf (pearson 0.62). No difference found to bleu. Worse: ter (perm-both test, p at
/// most 0.05 after Holm's correction)."
std::string verdict_of(const CorrelationRun& run);

/// A title for two judgements or more: "No metric clearly best for 3 of 4 judgements". Empty where nothing
/// was tested.
std::string title_of_all(std::span<const CorrelationRun* const> runs);

}  // namespace markeval::report
